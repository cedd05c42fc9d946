import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { callAll, createRoom } from '../../activities/calls.ts'
import type { Mail, Outcome } from '../../activities/mailer.ts'
import { fakeMailer, sent } from '../support/mailer.ts'

const mail = (to: string): Mail => ({
  from: 'news@example.com',
  replyTo: null,
  to,
  subject: 'News',
  html: null,
  text: 'News',
  headers: [],
  tags: [],
})

const pending = (count: number, when: (n: number) => Promise<unknown> = async () => {}) =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n),
    job: when(n).then(() => ({ id: String(n), mail: mail(`reader-${n}@example.com`) })),
  }))

const soon = async (): Promise<void> => {}

const iamRole = {
  organizationId: 'o',
  connectionId: 'c',
  accountId: '111122223333',
  region: 'eu-west-1',
  externalId: 'x',
}
const call = (ms: number) => ({ iamRole, signedAt: new Date(), beginBy: performance.now() + ms })

describe('the calls of a claim', () => {
  it('begin when their mails are made, and mails that are made too late go back', async () => {
    const mailer = fakeMailer()
    const jobs = pending(50, (n) => (n < 20 ? soon() : sleep(1_500)))
    const { results, verdict } = await callAll(mailer, jobs, call(1_000))
    expect(results).toHaveLength(50)
    expect(results.filter(({ outcome }) => outcome === 'sent')).toHaveLength(20)
    expect(results.filter(({ outcome }) => outcome === 'queued')).toHaveLength(30)
    expect(verdict.notBegun).toBe(30)
    expect(mailer.calls).toHaveLength(20)
  })

  it('are in flight for a bounded number of characters, and for one mail at least', async () => {
    const long = (n: number) => ({ ...mail(`reader-${n}@example.com`), html: 'x'.repeat(1_000) })
    const jobs = Array.from({ length: 10 }, (_, n) => ({
      id: String(n),
      job: soon().then(() => ({ id: String(n), mail: long(n) })),
    }))
    const outcomesWithin = async (most: number) => {
      const { results, verdict } = await callAll(fakeMailer(), jobs, call(60_000), createRoom(most))
      return [results.filter(({ outcome }) => outcome === 'sent').length, verdict.notBegun]
    }
    expect(await outcomesWithin(3_500)).toEqual([3, 7])
    expect(await outcomesWithin(10)).toEqual([1, 9])
    expect(await outcomesWithin(20_000)).toEqual([10, 0])
  })

  it('are not made for mails without time or without a content', async () => {
    const mailer = fakeMailer()
    const failed = { reason: 'render_timeout', error: 'Takes too long to render' }
    const jobs = [
      { id: '0', job: Promise.resolve(undefined) },
      { id: '1', job: Promise.resolve({ id: '1', failed }) },
      ...pending(1).map((each) => ({ ...each, id: '2' })),
    ]
    const { results, verdict } = await callAll(mailer, jobs, call(60_000))
    expect(results).toMatchObject([
      { id: '0', outcome: 'queued' },
      { id: '1', outcome: 'failed', reason: 'render_timeout' },
      { id: '2', outcome: 'sent' },
    ])
    expect(verdict.notBegun).toBe(1)
    expect(mailer.calls).toHaveLength(1)
  })

  it('show a broken network if most stay unanswered, but not by a single one', async () => {
    const lost = (share: number) => {
      let n = 0
      const outcome = (): Outcome =>
        n++ % 10 < share ? { kind: 'unknown', error: 'timeout' } : sent()
      return callAll(fakeMailer(outcome), pending(20), call(60_000))
    }
    expect((await lost(1)).verdict.unreachable).toBeUndefined()
    expect((await lost(6)).verdict.unreachable).toBe('no answers')
  })

  it("tell an organization's own trouble from the account's", async () => {
    const own = fakeMailer(() => ({ kind: 'unreachable', error: 'sts AccessDenied', own: true }))
    expect((await callAll(own, pending(2), call(60_000))).verdict).toMatchObject({ own: true })
    const down = fakeMailer(() => ({ kind: 'unreachable', error: 'ECONNREFUSED' }))
    expect((await callAll(down, pending(2), call(60_000))).verdict).toMatchObject({ own: false })
  })
})
