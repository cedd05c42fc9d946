import type { Call, Mail, Mailer, Outcome } from '../../activities/mailer.ts'
import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'

/** `accepted`: the provider took the mail, but no event will tell. */
export type FakeOutcome = Outcome & { accepted?: true }

export interface FakeMailer extends Mailer {
  /** Every call that reached the provider, whatever its outcome. */
  calls: Mail[]
  /** People whose mail was accepted, in order. A repeated one is an error in every test. */
  accepted: string[]
  /**
   * Mails to the simulator, which tell whether events arrive. They are not calls. On a busy machine
   * mails are in doubt for a moment, so any test may have some.
   */
  probes: Mail[]
}

/**
 * Stands in for the provider where a test is about the engine, not about the wire: returns
 * `outcome` after `latencyMs`, and accepts every probe. A call counts as accepted if its outcome is
 * `sent`, or `unknown` with `accepted: true`.
 */
export function fakeMailer(
  outcome: (mail: Mail, call: Call) => FakeOutcome = () => sent(),
  latencyMs = 1,
): FakeMailer {
  const calls: Mail[] = []
  const accepted: string[] = []
  const probes: Mail[] = []
  return {
    calls,
    accepted,
    probes,
    send: async (mail, call) => {
      if (performance.now() >= call.beginBy) return { kind: 'not_begun' }
      const isProbe = mail.to === SIMULATOR
      ;(isProbe ? probes : calls).push(mail)
      const answer: FakeOutcome = isProbe ? sent() : outcome(mail, call)
      if (!isProbe && (answer.kind === 'sent' || answer.accepted)) accepted.push(mail.to)
      await new Promise((resolve) => setTimeout(resolve, latencyMs))
      return answer
    },
    close: async () => {},
  }
}

let count = 0
export const sent = (): Outcome => ({ kind: 'sent', messageId: `fake-${process.pid}-${++count}` })
