import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { formatAddress, marketingHeaders } from '../../src/mail/headers.ts'
import { readMessage, sourceOf } from '../../tools/sandbox/mime.ts'
import type { MailView } from '../../tools/sandbox/mails.ts'

const URL = `https://mail.example.com/unsubscribe/${'a'.repeat(200)}`

const mailWith = (changes: Partial<MailView>): MailView => ({
  id: '01a2087c-2e4c-7000-8000-abbbb600097d',
  messageId: '0102-x',
  account: '444455556666',
  region: 'eu-west-1',
  acceptedAt: '2026-03-01T10:00:00.000Z',
  from: 'news@example.com',
  recipient: 'ada@example.com',
  recipients: ['ada@example.com'],
  subject: 'News',
  batch: null,
  messageTag: null,
  outcome: 'delivered',
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  replyTo: [],
  headers: [],
  tags: [],
  configurationSet: null,
  html: '<p>News</p>',
  text: 'News',
  raw: null,
  events: [],
  ...changes,
})

const NAMES = ['Ann Lee', 'Lee, Ann', 'Şhöp "Köln"', '東京の店 🍅', 'a=?b', 'Ünter '.repeat(30)]

test.each(NAMES)('a sender named %j is read by others as it was given', async (name) => {
  const from = formatAddress('shop@xn--bcher-kva.example', name)
  const source = await sourceOf(mailWith({ from, replyTo: [from] }))
  const read = await PostalMime.parse(source)
  const sender = { name: name.trim(), address: 'shop@xn--bcher-kva.example' }
  expect([read.from, read.replyTo]).toEqual([sender, [sender]])
})

const SUBJECTS = ['Grüße aus Köln', '🍅'.repeat(200), '中文'.repeat(300), `${'x'.repeat(900)} é`]

test.each(SUBJECTS)('subjects and bodies in any script come back whole: %#', async (subject) => {
  const html = `<p>${subject}</p>\r\n.\r\nFrom here`
  const source = await sourceOf(mailWith({ subject, html, text: subject }))
  const longest = Math.max(...source.split('\r\n').map((line) => line.length))
  // RFC 5322, 2.1.1 and RFC 2045, 6.7.
  expect([longest <= 998, /[^\r\n\t -~]/.test(source)]).toEqual([true, false])
  const read = await readMessage(Buffer.from(source))
  expect(read.subject).toBe(subject)
  expect(read.text?.trimEnd()).toBe(subject)
  expect(read.html?.trimEnd().replaceAll('\r\n', '\n')).toBe(html.replaceAll('\r\n', '\n'))
})

test('the headers of marketing mail survive folding, and the Feedback-ID names the mailing', async () => {
  const headers = marketingHeaders({ unsubscribeUrl: URL })
  const tags = [
    { name: 'ses:feedback-id-a', value: 'mailing-7' },
    { name: 'ses:feedback-id-b', value: 'batch' },
  ]
  const source = await sourceOf(mailWith({ headers, tags, bcc: ['secret@example.com'] }))
  expect(source).not.toContain('secret@')
  const read = await readMessage(Buffer.from(source))
  expect(Object.fromEntries(read.headers)).toMatchObject({
    'List-Unsubscribe': `<${URL}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Feedback-ID': 'mailing-7:batch:eu-west-1:AmazonSES',
    'Message-ID': '<0102-x@eu-west-1.amazonses.com>',
  })
})
