import { describe, expect, it } from 'vitest'
import { callAll } from '../../activities/calls.ts'
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

const pending = (count: number, make: (n: number) => void = () => {}) =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n),
    make: () => {
      make(n)
      return { id: String(n), mail: mail(`reader-${n}@example.com`) }
    },
  }))

const role = {
  organizationId: 'o',
  connectionId: 'c',
  accountId: '111122223333',
  region: 'eu-west-1',
  externalId: 'x',
}
const call = (ms: number) => ({ role, signedAt: new Date(), beginBy: performance.now() + ms })

describe('the calls of a claim', () => {
  it('begin one after the other, so that slow mails make progress and the rest goes back', async () => {
    const mailer = fakeMailer()
    const busy = () => {
      const end = performance.now() + 20
      while (performance.now() < end);
    }
    const { results, verdict } = await callAll(mailer, pending(50, busy), call(200))
    const begun = results.filter(({ outcome }) => outcome === 'sent').length
    expect(begun).toBeGreaterThan(3)
    expect(begun).toBeLessThan(20)
    expect(results).toHaveLength(50)
    expect(results.filter(({ outcome }) => outcome === 'queued')).toHaveLength(50 - begun)
    expect(verdict.notBegun).toBe(50 - begun)
    expect(mailer.calls).toHaveLength(begun)
  })

  it('that mostly stay unanswered say that the way is broken; a single one says nothing', async () => {
    const lost = (share: number) => {
      let n = 0
      const outcome = (): Outcome =>
        n++ % 10 < share ? { kind: 'unknown', error: 'timeout' } : sent()
      return callAll(fakeMailer(outcome), pending(20), call(1_000))
    }
    expect((await lost(1)).verdict.unreachable).toBeUndefined()
    expect((await lost(6)).verdict.unreachable).toBe('no answers')
  })

  it("tell an organization's own trouble from the account's", async () => {
    const own = fakeMailer(() => ({ kind: 'unreachable', error: 'sts AccessDenied', own: true }))
    expect((await callAll(own, pending(2), call(1_000))).verdict).toMatchObject({ own: true })
    const down = fakeMailer(() => ({ kind: 'unreachable', error: 'ECONNREFUSED' }))
    expect((await callAll(down, pending(2), call(1_000))).verdict).toMatchObject({ own: false })
  })
})
