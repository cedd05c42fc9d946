import nodemailer from 'nodemailer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'
import { testAuthority, testCertificate } from '../support/certificates.ts'
import {
  beginMail,
  dataOf,
  openDialogue,
  openSubmission,
  plainLogin,
  plainPort,
  type Submission,
} from '../support/smtp.ts'

let api: Api
let submission: Submission
let port: number
let key: string
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  submission = openSubmission(api)
  port = await plainPort(submission)
  key = (await api.client(api.alice.organizationId, ['send'])).key
})
afterAll(async () => {
  await submission.close()
  await api.close()
})

const transport = (more: object = {}) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    auth: { user: 'letterloom', pass: key },
    ...more,
  })
const receipt = { from: 'Shop <shop@example.com>', to: 'ada@example.com', subject: 'Receipt' }
const idOf = (response: string): string => /Accepted as ([0-9a-f-]{36})/.exec(response)?.[1] ?? ''
const bodyOf = async (id: string) => (await api.alice.get(`/v1/email/${id}/body`)).body
const mailsTo = async (recipient: string): Promise<string[]> => {
  const rows = await api.sql<{ id: string }[]>`
    select id from messages where recipient = ${recipient} order by id`
  return rows.map(({ id }) => id)
}

describe('a message of nodemailer', () => {
  test('is a single mail with all that it says, once 250 is answered', async () => {
    const { id: contactId } = await createContact(api.alice, { email: 'ada@example.com' })
    const { response } = await transport().sendMail({
      from: '"Lösch & Söhne, Ltd." <shop@example.com>',
      to: ['Ada <ada@example.com>'],
      replyTo: 'Help <help@example.com>',
      subject: 'Ihre Rechnung – 発票 🎉',
      text: `Grüße\n.\n..two dots\n.dot\n${'long '.repeat(2_000)}`,
      html: '<p>Grüße <img src="cid:logo@shop"></p>',
      headers: { 'X-Order': '42', References: '<a@b>', 'List-Id': 'dropped' },
      attachments: [
        { filename: 'Rechnung Nr. 5 – 发票.pdf', content: Buffer.from('%PDF') },
        { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo@shop' },
        { filename: 'plan.pdf', content: Buffer.from('%PDF-2'), cid: 'unused@shop' },
      ],
    })
    expect(response).toMatch(/^250 2\.6\.0 Accepted as /)
    const id = idOf(response)
    const { body } = await api.alice.get(`/v1/email/${id}`)
    expect(body).toMatchObject({
      status: 'queued',
      to: 'ada@example.com',
      replyTo: 'help@example.com',
      subject: 'Ihre Rechnung – 発票 🎉',
    })
    const [row] = await api.sql`select contact_id from messages where id = ${id}`
    expect(row).toEqual({ contactId })
    const said = await bodyOf(id)
    expect(said.text.trimEnd()).toBe(
      `Grüße\n.\n..two dots\n.dot\n${'long '.repeat(2_000)}`.trimEnd(),
    )
    said.attachments.sort((a: { bytes: number }, b: { bytes: number }) => a.bytes - b.bytes)
    expect(said).toMatchObject({
      html: expect.stringContaining('<p>Grüße <img src="cid:logo@shop"></p>'),
      headers: { 'X-Order': '42', References: '<a@b>' },
      attachments: [
        { filename: 'logo.png', contentType: 'image/png', contentId: 'logo@shop', bytes: 3 },
        {
          filename: 'Rechnung Nr. 5 – 发票.pdf',
          contentType: 'application/pdf',
          contentId: null,
          bytes: 4,
        },
        { filename: 'plan.pdf', contentType: 'application/pdf', contentId: null, bytes: 6 },
      ],
    })
    expect(Object.keys(said.headers)).toEqual(['X-Order', 'References'])
  })

  test('with an invitation has one, and an empty message is a mail', async () => {
    const ics = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'
    const invitation = { method: 'REQUEST', content: ics }
    const sent = await transport().sendMail({ ...receipt, text: 'Come', icalEvent: invitation })
    const said = await bodyOf(idOf(sent.response))
    expect(said.attachments[0]).toMatchObject({ contentType: 'text/calendar; method=REQUEST' })
    const empty = await transport().sendMail({ ...receipt, text: '' })
    expect((await bodyOf(idOf(empty.response))).text.trim()).toBe('')
  })

  test('to several recipients is a mail to each, and the log says what became of each', async () => {
    await api.alice.post('/v1/suppressions', { email: 'gone@example.com', reason: 'bounced' })
    const { response } = await transport().sendMail({
      ...receipt,
      to: ['One@Example.com', 'one@example.com', 'gone@example.com'],
      cc: 'two@example.com',
      bcc: 'secret@bücher.example',
      html: '<p>To all</p>',
    })
    const ids = [...response.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g)].map(([id]) => id)
    const shown = await Promise.all(ids.map((id) => api.alice.get(`/v1/email/${id}`)))
    const told = shown.map(({ body }): string => `${body.to} ${body.status}`)
    expect(told.toSorted()).toEqual([
      'gone@example.com suppressed',
      'one@example.com queued',
      'secret@xn--bcher-kva.example queued',
      'two@example.com queued',
    ])
    const { body } = await api.alice.get(`/v1/email/${ids[0]}/body`)
    expect(JSON.stringify(body)).not.toContain('secret@')
    expect(body.text).toBe('To all')
    expect((await api.charlie.get(`/v1/email/${ids[0]}`)).status).toBe(403)
  })

  test('that comes again is one mail; with another text it is another one', async () => {
    const mail = {
      ...receipt,
      to: 'again@example.com',
      messageId: '<7@shop>',
      date: 'Mon, 1 Jan 2024 00:00:00 +0000',
    }
    const raw = (...trace: string[]) => ({
      envelope: { from: 'shop@example.com', to: mail.to },
      raw: [
        ...trace,
        'From: shop@example.com',
        'Subject: Receipt',
        'Message-ID: <7@shop>',
        '',
        'Thanks',
        '',
      ].join('\r\n'),
    })
    const first = await transport().sendMail(raw())
    const again = await transport().sendMail(
      raw('Received: from a', '\tby b; Mon', 'Return-Path: <x@example.com>'),
    )
    expect(idOf(again.response)).toBe(idOf(first.response))
    const other = await transport().sendMail({ ...mail, text: 'Another text' })
    expect(idOf(other.response)).not.toBe(idOf(first.response))
    // Another key is another program.
    const pass = (await api.client(api.alice.organizationId, ['send'])).key
    await transport({ auth: { user: 'letterloom', pass } }).sendMail(raw())
    expect(await mailsTo('again@example.com')).toHaveLength(3)
  })

  test('with a key of its sender is one mail for a day, however it is made', async () => {
    const headers = { 'X-Letterloom-Idempotency-Key': 'order-7' }
    const mail = { ...receipt, to: ['k1@example.com', 'k2@example.com'], text: 'Thanks', headers }
    const first = await transport().sendMail(mail)
    const again = await transport().sendMail(mail)
    expect(again.response).toBe(first.response)
    expect((await bodyOf(idOf(first.response))).headers).toEqual({})
    const [one] = await mailsTo('k1@example.com')
    expect([one]).toEqual(await mailsTo('k1@example.com'))
    // Only who did not get it yet does.
    await transport().sendMail({ ...mail, to: ['k1@example.com', 'k3@example.com'] })
    expect(await mailsTo('k1@example.com')).toEqual([one])
    expect(await mailsTo('k3@example.com')).toHaveLength(1)
    await expect(transport().sendMail({ ...mail, text: 'Other' })).rejects.toThrow(
      '554 5.6.0 This Idempotency-Key was used for another request',
    )
  })

  test('sent by many at once with one key is stored once', async () => {
    const headers = { 'X-Letterloom-Idempotency-Key': 'race' }
    const mail = { ...receipt, to: 'race@example.com', text: 'Thanks', headers }
    const sent = await Promise.allSettled(
      Array.from({ length: 8 }, () => transport().sendMail(mail)),
    )
    const responses = sent.map((each) =>
      each.status === 'fulfilled' ? idOf(each.value.response) : each.reason.responseCode,
    )
    const [id] = await mailsTo('race@example.com')
    expect(responses.filter((each) => each !== id && each !== 451)).toEqual([])
    expect(await mailsTo('race@example.com')).toEqual([id])
  })
})

describe('a refusal of the API is refused with its sentence', () => {
  test.each([
    ['a header of no sender', ['Subject: S', '', 'x'], '554 5.6.0 from is required'],
    [
      'two senders',
      ['From: a@example.com, b@example.com', 'Subject: S', '', 'x'],
      '554 5.6.0 from must be one address',
    ],
    [
      'a sender that is no address',
      ['From: nobody', 'Subject: S', '', 'x'],
      '554 5.6.0 from must be an email address, alone or as Name <address>',
    ],
    ['no subject', ['From: a@example.com', '', 'x'], '554 5.6.0 subject is needed'],
    [
      'an account of nobody',
      ['From: a@example.com', 'Subject: S', 'X-Letterloom-Account: 999999999999', '', 'x'],
      '554 5.6.0 cloudAccountId is not the number of a connected account',
    ],
    [
      'an encrypted message',
      ['From: a@example.com', 'Content-Type: multipart/encrypted; boundary=x', '', '--x--'],
      '554 5.6.0 The body is encrypted (S/MIME, OpenPGP), and cannot be taken apart',
    ],
    [
      'a mail that goes in a circle',
      [...Array.from({ length: 51 }, () => 'Received: by x'), 'From: a@example.com', '', 'x'],
      '554 5.6.0 The headers pass more than 50 servers: the mail goes in a circle',
    ],
    [
      'a key with a blank at its end that is none',
      ['From: a@example.com', `X-Letterloom-Idempotency-Key: ${'k'.repeat(256)}`, '', 'x'],
      '554 5.6.0 X-Letterloom-Idempotency-Key must be 1 to 255 printable ASCII characters, without a blank at its ends',
    ],
    [
      'parts within parts without end',
      [
        'From: a@example.com',
        'Subject: S',
        ...Array.from({ length: 40 }, (_, n) => [
          `Content-Type: multipart/mixed; boundary=b${n}`,
          '',
          `--b${n}`,
        ]).flat(),
        '',
        'x',
      ],
      '554 5.6.0 body is unreadable: The message is nested too deeply or its headers are too long',
    ],
    [
      'more lines than the largest file has',
      ['From: a@example.com', 'Subject: S', '\r\n'.repeat(250_000)],
      '554 5.6.0 body is unreadable: The message has more than 250000 lines',
    ],
    [
      'a NUL',
      ['From: a@example.com', 'Subject: S', '', 'a\0b'],
      '554 5.6.0 The body has text that cannot be stored',
    ],
    [
      'more files than a mail has',
      [
        'From: a@example.com',
        'Subject: S',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        ...Array.from({ length: 21 }, () => [
          '--b',
          'Content-Type: text/csv',
          'Content-Disposition: attachment; filename=a.csv',
          '',
          'x',
        ]).flat(),
        '--b--',
      ],
      '554 5.6.0 attachments must not have more than 20 items',
    ],
  ])('%s', async (_what, lines, reply) => {
    const dialogue = await beginMail(port, key)
    await dialogue.say('DATA')
    expect(await dialogue.send(dataOf(...lines))).toBe(reply)
    // The connection goes on.
    expect(await dialogue.say('MAIL FROM:<shop@example.com>')).toBe('250 2.1.0 Accepted')
    dialogue.close()
  })

  test('an address that is none is refused when it is named, and the others are mailed', async () => {
    const dialogue = await beginMail(port, key)
    expect(await dialogue.say('RCPT TO:<ada@localhost>')).toBe(
      '553 5.1.3 This is not an email address',
    )
    expect(await dialogue.say('RCPT TO:<postmaster>')).toMatch(/^553 5\.1\.3 /)
    await dialogue.say('DATA')
    expect(await dialogue.send(dataOf('From: a@example.com', 'Subject: S', '', 'x'))).toMatch(
      /^250 2\.6\.0 Accepted as [0-9a-f-]{36}$/,
    )
    dialogue.close()
  })

  test('too many requests are told to come again, and so is who has no room left', async () => {
    const { organizationId } = api.charlie
    await connectAccount(api.charlie)
    const charlies = (await api.client(organizationId, ['send'])).key
    await api.sql`
      insert into plan_overrides (organization_id, requests_per_minute) values (${organizationId}, 1)`
    const dialogue = await beginMail(port, charlies)
    await dialogue.say('RSET')
    expect(await dialogue.say('MAIL FROM:<shop@example.com>')).toMatch(
      /^451 4\.3\.0 Too many requests\. Try again in \d+ seconds\.$/,
    )
    dialogue.close()
  })
})

describe('a login', () => {
  test('needs the user letterloom and a key of scope send', async () => {
    const reader = await api.client(api.alice.organizationId, ['read'])
    const dialogue = await openDialogue(port)
    await dialogue.say('EHLO client.example')
    const wrong =
      '535 5.7.8 Use the user name letterloom and an API key of scope send as the password'
    expect(await dialogue.say(plainLogin(key, 'root'))).toBe(wrong)
    expect(await dialogue.say(plainLogin('loom_nonsense'))).toBe(wrong)
    expect(await dialogue.say(plainLogin(reader.key))).toBe(
      '421 4.4.2 This key lacks the scope "send"',
    )
    expect(await dialogue.reply()).toBe('')
    const second = await openDialogue(port)
    await second.say('EHLO client.example')
    expect(await second.say('AUTH LOGIN')).toMatch(/^334 /)
    await second.say(Buffer.from('letterloom').toString('base64'))
    expect(await second.say(Buffer.from(key).toString('base64'))).toMatch(/^235 2\.7\.0 /)
    second.close()
  })

  test('ends with its key, also in a connection that is open', async () => {
    const revoked = await api.client(api.alice.organizationId, ['send'])
    const dialogue = await beginMail(port, revoked.key)
    await dialogue.say('DATA')
    await api.sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`
    // For less than a second a key is remembered. Each try counts as a guess.
    await expect
      .poll(
        async () => {
          const other = await openDialogue(port)
          await other.say('EHLO client.example')
          const reply = await other.say(plainLogin(revoked.key))
          other.close()
          return reply
        },
        { interval: 300 },
      )
      .toMatch(/^535 /)
    expect(await dialogue.send(dataOf('From: a@example.com', 'Subject: S', '', 'x'))).toBe(
      '530 5.7.0 This key is no longer valid',
    )
    expect(await dialogue.say('MAIL FROM:<shop@example.com>')).toMatch(/^530 5\.7\.0 /)
    dialogue.close()
  })

  test('is noted as a use of the key', async () => {
    const used = await api.client(api.alice.organizationId, ['send'])
    ;(await beginMail(port, used.key)).close()
    await expect
      .poll(async () => {
        const [row] = await api.sql`select last_used_at from api_keys where id = ${used.keyId}`
        return row?.['lastUsedAt']
      })
      .toEqual(expect.any(String))
  })

  test('is guessed as seldom as by HTTP: 30 times a minute from one address', async () => {
    const own = openSubmission({
      ...api,
      deps: { ...api.deps, keyring: { ...api.deps.keyring } },
    })
    const ownPort = await plainPort(own)
    const replies: string[] = []
    for (let tries = 0; tries < 12; tries++) {
      const dialogue = await openDialogue(ownPort)
      await dialogue.say('EHLO client.example')
      for (let n = 0; n < 3; n++) replies.push(await dialogue.say(plainLogin(`loom_${n}`)))
      dialogue.close()
    }
    expect(replies.some((reply) => reply.startsWith('421 4.4.2 Too many failed logins'))).toBe(true)
    // The right key is let in all the same.
    const dialogue = await openDialogue(ownPort)
    await dialogue.say('EHLO client.example')
    expect(await dialogue.say(plainLogin(key))).toMatch(/^235 /)
    dialogue.close()
    await own.close()
  })
})

describe('with a certificate', () => {
  test('nobody is asked for a key before TLS, by STARTTLS or from the first byte', async () => {
    const starttls = await submission.listen({ tls: 'starttls', certificate: testCertificate })
    const dialogue = await openDialogue(starttls)
    expect(await dialogue.say('EHLO client.example')).not.toContain('AUTH')
    expect(await dialogue.say(plainLogin(key))).toMatch(/^500 /)
    expect(await dialogue.say('MAIL FROM:<shop@example.com>')).toBe(
      '530 5.7.0 Must issue a STARTTLS command first',
    )
    expect(await dialogue.say('STARTTLS')).toMatch(/^220 /)
    await dialogue.startTls()
    expect(await dialogue.say('EHLO client.example')).toContain('AUTH PLAIN LOGIN')
    expect(await dialogue.say('MAIL FROM:<shop@example.com>')).toMatch(/^530 5\.7\.0 /)
    expect(await dialogue.say(plainLogin(key))).toMatch(/^235 /)
    dialogue.close()
    const implicit = await submission.listen({ tls: 'implicit', certificate: testCertificate })
    for (const [secured, secure] of [
      [starttls, false],
      [implicit, true],
    ] as const) {
      const tls = { ca: testAuthority }
      const sent = await transport({ port: secured, secure, requireTLS: true, tls }).sendMail({
        ...receipt,
        text: 'Thanks',
      })
      expect(sent.response).toMatch(/^250 /)
    }
  })
})

test('a message that nothing tells from another one is a new mail each time', async () => {
  const alarm = {
    envelope: { from: 'shop@example.com', to: 'alarm@example.com' },
    raw: 'From: shop@example.com\r\nSubject: The disk is full\r\n\r\nAgain\r\n',
  }
  await transport().sendMail(alarm)
  await transport().sendMail(alarm)
  expect(await mailsTo('alarm@example.com')).toHaveLength(2)
})

test('a header that is folded is carried', async () => {
  const dialogue = await beginMail(port, key)
  await dialogue.say('DATA')
  const folded = ['From: a@example.com', 'Subject: S', 'References: <a@b>', '\t<c@d>', ' <e@f>']
  const reply = await dialogue.send(dataOf(...folded, 'X-Word: ä', '', 'x'))
  expect((await bodyOf(idOf(reply))).headers).toEqual({ References: '<a@b> <c@d> <e@f>' })
  dialogue.close()
})

test('commands may come all at once, and a message may be one byte at a time', async () => {
  const dialogue = await openDialogue(port)
  const lines = ['EHLO client.example', plainLogin(key), 'MAIL FROM:<a@example.com>']
  dialogue.write(`${[...lines, 'RCPT TO:<ada@example.com>', 'DATA'].join('\r\n')}\r\n`)
  const codes = []
  for (let n = 0; n < 5; n++) codes.push((await dialogue.reply()).slice(0, 3))
  expect(codes).toEqual(['250', '235', '250', '250', '354'])
  for (const byte of dataOf('From: a@example.com', 'Subject: S', '', '..', 'x'))
    dialogue.write(byte)
  const reply = await dialogue.reply()
  expect((await bodyOf(idOf(reply))).text.trimEnd()).toBe('.\nx')
  dialogue.close()
})

test('none of it was a mistake of ours', () => {
  expect(submission.failures).toEqual([])
})
