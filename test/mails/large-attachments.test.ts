import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBase64 } from '../../src/core/content/mail-content.ts'
import { MOST_ATTACHED_BYTES } from '../../src/domain/mails/attachments.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { floorMs, holdOf } from '../support/holds.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
})
afterAll(() => api.close())

test('a mail with the largest attachments does not hold the event loop for long', async () => {
  const content = randomBytes(MOST_ATTACHED_BYTES).toString('base64')
  const mail = JSON.stringify({
    to: 'ada@example.com',
    from: 'shop@example.com',
    subject: 'Your photographs',
    text: 'See above.',
    scheduledFor: new Date(Date.now() + 3_600_000).toISOString(),
    attachments: [{ filename: 'photographs.zip', content }],
  })
  const statuses = new Set<number>()
  const { holdMs, boundMs } = await holdOf('attachments', mail, floorMs(), async () => {
    const { status } = await api.alice.send({
      method: 'POST',
      url: '/v1/email/send',
      headers: { 'content-type': 'application/json' },
      payload: mail,
    })
    statuses.add(status)
  })
  expect([...statuses]).toEqual([202])
  expect(holdMs).toBeLessThan(boundMs)
})

test('base64 is distinguished from other texts that Node decodes', () => {
  for (const text of ['', 'YQ==', 'YWI=', 'YWJj', 'ab+/', 'YR==']) {
    expect([text, isBase64(text)]).toEqual([text, true])
  }
  const wrong = ['Y', 'YQ', 'YQ=', 'YQ==YQ==', 'Y===', '====', 'YW Jj', 'YWJj\n', 'YWJj\nYWJ']
  for (const text of [...wrong, 'ab-_', 'ab-/', 'Y=Jj', 'YWJä', 'YWJ\0', '\u0159WJj']) {
    expect([text, isBase64(text)]).toEqual([text, false])
  }
})
