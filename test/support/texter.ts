import type { Call, Outcome } from '../../activities/mailer.ts'
import type { Text, Texter } from '../../activities/texter.ts'

export interface FakeTexter extends Texter {
  /** Every text that reached the provider, whatever its outcome. */
  calls: Text[]
}

/** Stands in for the provider where a test is about the engine, not about the wire. */
export function fakeTexter(
  outcome: (text: Text, call: Call) => Outcome | Promise<Outcome> = () => textSent(),
): FakeTexter {
  const calls: Text[] = []
  return {
    calls,
    send: async (text, call) => {
      if (performance.now() >= call.beginBy) return { kind: 'not_begun' }
      calls.push(text)
      return outcome(text, call)
    },
    close: async () => {},
  }
}

let count = 0
export const textSent = (): Outcome => ({
  kind: 'sent',
  messageId: `fake-text-${process.pid}-${++count}`,
})
