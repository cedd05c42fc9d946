import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Refusal } from './aws/errors.ts'
import { type Faults, happens } from './faults.ts'

interface FaultySend {
  faults: Faults
  request: IncomingMessage
  /** The service's words for them. */
  throttled: () => Refusal
  internal: () => Refusal
  /** Throws if the signature is too old by now. */
  checkAge: () => void
  run: () => object | Promise<object>
  answer: (value: object) => void
}

/** Runs a call that sends, with all faults that are switched on. */
export async function sendWithFaults({
  faults,
  request,
  throttled,
  internal,
  checkAge,
  run,
  answer,
}: FaultySend): Promise<void> {
  if (faults.latencyMs > 0) await sleep(faults.latencyMs)
  // The socket stays open and silent; it is destroyed when the caller or the sandbox gives up.
  if (happens(faults.halfOpenPercent)) return
  if (happens(faults.throttlePercent)) throw throttled()
  if (happens(faults.serverErrorPercent)) throw internal()
  if (happens(faults.stallBeforePercent)) {
    await sleep(faults.stallMs)
    checkAge()
  }
  const value = await run()
  if (!mayFailLater(faults)) {
    answer(value)
    return
  }
  if (happens(faults.acceptThenResetPercent)) {
    request.socket.resetAndDestroy()
    return
  }
  if (happens(faults.acceptThenErrorPercent)) throw internal()
  if (happens(faults.stallAfterPercent)) await sleep(faults.stallMs)
  answer(value)
}

const mayFailLater = (faults: Faults): boolean =>
  faults.acceptThenResetPercent + faults.acceptThenErrorPercent + faults.stallAfterPercent > 0
