import { expect, test } from 'vitest'
import { callAll } from '../../activities/calls.ts'
import { startFailureLog } from '../../src/loops/failure-log.ts'
import { noteFailure, takeFailures } from '../../src/runtime/failures.ts'
import { until } from '../support/engine.ts'
import { fakeMailer } from '../support/mailer.ts'

test('mails that failed are told by their reason, once, and with nothing of a person', async () => {
  takeFailures()
  const mailer = fakeMailer((mail) =>
    mail.to === 'fine@example.com'
      ? { kind: 'sent', messageId: '1' }
      : { kind: 'refused', reason: 'message_rejected', error: `no mail to ${mail.to}` },
  )
  const pending = ['ada@example.com', 'bob@example.com', 'fine@example.com'].map((to) => ({
    id: to,
    job: { id: to, mail: { ...MAIL, to } },
  }))
  const iamRole = {
    organizationId: 'o',
    connectionId: 'c',
    accountId: '123456789012',
    region: 'eu-west-1',
    externalId: 'x',
  }
  await callAll(mailer, pending, {
    iamRole,
    signedAt: new Date(),
    beginBy: performance.now() + 60_000,
  })
  const lines: object[] = []
  const quiet = () => {}
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message })
  const loop = startFailureLog({ log: { info: quiet, warn, error: quiet }, everyMs: 20 })
  await until(async () => lines.length > 0)
  await loop.stop()
  expect(lines).toEqual([{ reason: 'message_rejected', mails: 2, message: 'mails failed' }])
})

test('reasons are as many as a person reads', () => {
  takeFailures()
  for (let n = 0; n < 60; n++) noteFailure(`reason_${n}`)
  const failures = takeFailures()
  expect([failures.size, failures.get('other')]).toEqual([51, 10])
})

const MAIL = {
  from: 'news@example.com',
  replyTo: null,
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  tags: [],
}
