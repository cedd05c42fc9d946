import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import type { Attachment } from '../../src/domain/mails/attachments.ts'
import { formatAddress } from '../../src/mail/headers.ts'
import { rawMessage } from '../../src/mail/mime.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const PDF: Attachment = { filename: 'a.pdf', content: base64('%PDF') }
const CALENDAR = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:Käse\r\nEND:VCALENDAR\r\n'

const message = (changes: Partial<Parameters<typeof rawMessage>[0]> = {}) =>
  rawMessage({
    from: 'shop@example.com',
    replyTo: null,
    to: 'ann@example.com',
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: [],
    attachments: [PDF],
    ...changes,
  })
const headerOf = (raw: Buffer, name: string): string | undefined =>
  new RegExp(`^${name}: (.*(?:\\r\\n .*)*)\\r\\n`, 'm').exec(raw.toString())?.[1]

describe('the sender of a mail with a file', () => {
  test.each([
    'Käse & Co',
    'Käse, "gut" <billig>',
    '株式会社レターブルーム 💌',
    'ü'.repeat(200),
    // Looks like an encoded word: in quotes some mail programs would decode it.
    'a =?UTF-8?B?QQ==?= b',
  ])('%s: has encoded words, and none of them in quotes', async (name) => {
    const from = formatAddress('shop@example.com', name)
    const raw = await message({ from, replyTo: formatAddress('answers@example.com', name) })
    for (const header of ['From', 'Reply-To']) {
      const value = headerOf(raw, header) ?? ''
      expect(value).toContain('=?UTF-8?B?')
      expect(value).not.toContain('"')
    }
    const lines = raw.toString().split('\r\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100)
    const mail = await PostalMime.parse(raw)
    expect(mail.from).toMatchObject({ address: 'shop@example.com', name })
    expect(mail.replyTo).toMatchObject([{ address: 'answers@example.com', name }])
  })

  test.each(['Shop', 'Lee, Ann', 'A "B" C', ''])('"%s": is written as ever', async (name) => {
    const from = formatAddress('shop@example.com', name)
    const raw = await message({ from })
    expect(headerOf(raw, 'From')).toBe(from)
    expect(headerOf(raw, 'Reply-To')).toBe(undefined)
    expect(headerOf(raw, 'Message-ID')).toMatch(/@example\.com>$/)
    expect(raw.toString().match(/^From:/gm)).toHaveLength(1)
  })
})

describe('an invitation', () => {
  const invitation = (contentType: string): Attachment => ({
    filename: 'meeting.ics',
    contentType,
    content: base64(CALENDAR),
  })

  test.each([
    ['text/calendar; method=REQUEST', 'REQUEST'],
    ['text/calendar; charset=utf-8; method=CANCEL', 'CANCEL'],
    ['Text/Calendar;Method="reply"', 'REPLY'],
    ['text/calendar;method=PUBLISH;name="m.ics"', 'PUBLISH'],
  ])('%s: is an alternative with its method, and a file', async (contentType, method) => {
    const raw = await message({ attachments: [PDF, invitation(contentType)] })
    const text = raw.toString()
    expect(text).toContain(`Content-Type: text/calendar; charset=utf-8; method=${method}`)
    // In alternative with text and HTML, which come first.
    const [alternative = ''] = text.split(/Content-Type: application\/(?:pdf|ics)/)
    expect(alternative).toMatch(/multipart\/alternative[^]*text\/plain[^]*text\/html[^]*text\/cal/)
    const { attachments } = await PostalMime.parse(raw)
    const names = attachments.map(({ filename }) => filename)
    expect(names).toEqual(expect.arrayContaining(['a.pdf', 'meeting.ics']))
    expect(text.replaceAll('\r\n', '')).toContain(base64(CALENDAR))
  })

  test('is one; a second, and a calendar without a method, are files', async () => {
    const second = { ...invitation('text/calendar; method=REQUEST'), filename: 'second.ics' }
    const plain = { ...invitation('text/calendar; charset=utf-8'), filename: 'plain.ics' }
    const both = [invitation('text/calendar; method=REQUEST'), second, plain]
    const text = (await message({ attachments: both })).toString()
    expect(text.match(/method=REQUEST/g)).toHaveLength(2)
    expect(text).toContain('name=second.ics')
    const alone = (await message({ attachments: [plain] })).toString()
    expect(alone).not.toContain('multipart/alternative;\r\n method')
    expect(alone).toMatch(/Content-Type: text\/calendar; charset=utf-8; name=plain\.ics/)
  })
})
