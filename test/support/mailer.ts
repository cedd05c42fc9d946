import type { Call, Mail, Mailer, Outcome } from '../../activities/mailer.ts'
import { SIMULATOR } from '../../src/domain/sending/event-recipients.ts'

/** `accepted`: the provider took the mail although nobody will be told. */
export type FakeOutcome = Outcome & { accepted?: true }

export interface FakeMailer extends Mailer {
  /** Every call that reached the provider, whatever its outcome. */
  calls: Mail[]
  /**
   * People whose mail was accepted, in order; one may be there twice, which no test allows. On a
   * busy machine mails are in doubt and a mail to the simulator tells whether events arrive: that
   * is nobody.
   */
  accepted: string[]
}

/**
 * Stands in for the provider where a test is about the engine, not about the wire: answers what
 * `outcome` says after `latencyMs`. A call is counted as accepted when its outcome is `sent`, or
 * when it is `unknown` and says so with `accepted: true`.
 */
export function fakeMailer(
  outcome: (mail: Mail, call: Call) => FakeOutcome = () => sent(),
  latencyMs = 1,
): FakeMailer {
  const calls: Mail[] = []
  const accepted: string[] = []
  return {
    calls,
    accepted,
    send: async (mail, call) => {
      if (performance.now() >= call.beginBy) return { kind: 'not_begun' }
      calls.push(mail)
      const answer = outcome(mail, call)
      const isAccepted = answer.kind === 'sent' || answer.accepted
      if (isAccepted && mail.to !== SIMULATOR) accepted.push(mail.to)
      await new Promise((resolve) => setTimeout(resolve, latencyMs))
      return answer
    },
    close: async () => {},
  }
}

let count = 0
export const sent = (): Outcome => ({ kind: 'sent', messageId: `fake-${process.pid}-${++count}` })
