import { setTimeout as sleep } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { guarantee } from '../support/guarantee.ts'
import { sized } from '../support/size.ts'
import { type SmtpProcess, startSmtpProcess } from '../support/smtp-process.ts'

/** Mail submission that is killed in mid-work, by clients who try again until they see a 250. */
const CLIENTS = 6
const MAILS = sized(120, 3_000)
const KILLS = sized(3, 20)
const PAUSE_MS = 20

let api: Api
let key: string
let smtp: SmtpProcess
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  key = (await api.client(api.alice.organizationId, ['send'])).key
  smtp = await startSmtpProcess(api.databaseUrl)
})
afterAll(() => api.close())

it('a message that was answered 250 is stored, and a repeated one is one mail', async () => {
  const accepted = new Map<string, string>()
  const waiting = Array.from({ length: MAILS }, (_, n) => `reader-${n}@example.com`)
  async function client(): Promise<void> {
    for (let to = waiting.pop(); to !== undefined; to = waiting.pop()) {
      const mail = {
        envelope: { from: 'shop@example.com', to },
        raw: `From: shop@example.com\r\nSubject: Receipt\r\nMessage-ID: <${to}>\r\n\r\nThanks\r\n`,
      }
      while (!accepted.has(to)) {
        const transport = nodemailer.createTransport({
          host: '127.0.0.1',
          port: smtp.port,
          auth: { user: 'letterloom', pass: key },
        })
        const sent = await transport.sendMail(mail).catch(() => undefined)
        if (sent) accepted.set(to, sent.response)
        else await sleep(PAUSE_MS)
      }
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  for (let kills = 0; kills < KILLS && accepted.size < MAILS; kills++) {
    await sleep(Math.random() * 400)
    await smtp.killAndRestart()
  }
  await clients

  const rows = await api.sql<{ id: string; recipient: string }[]>`
    select id, recipient from messages where organization_id = ${api.alice.organizationId}`
  guarantee(() => {
    expect(rows).toHaveLength(MAILS)
    for (const { id, recipient } of rows) expect(accepted.get(recipient)).toContain(id)
  })
  const [queued] = await api.sql`select count(*)::int as count from mail_queue`
  expect(queued).toEqual({ count: MAILS })
  // In good order, also with nobody connected.
  expect(await smtp.stop()).toBe(0)
})
