/**
 * How long each step of a send may take before others may act on it (milliseconds). They hang
 * together: a call begins within `beginMs` of its claim, ends by `callMs`; the claim's lease is
 * longer than both; the provider refuses a signature older than `signatureMs`; a row in doubt is
 * decided only after `doubtMs`, when no call signed at its claim can be accepted any more.
 */
export interface Timings {
  /** A call that did not begin this long after its claim was committed does not begin at all. */
  beginMs: number
  /** Deadline of one call to the provider. */
  callMs: number
  /** A claim older than this has lost its worker. */
  leaseMs: number
  /** The provider refuses signatures older than this. AWS: five minutes. */
  signatureMs: number
  /** A row in doubt is decided no sooner than this after its claim. */
  doubtMs: number
  /** How far the event watermark must have passed a claim before silence is evidence. */
  distanceMs: number
  /** Longest wait for a connected but lagging event stream. */
  patienceMs: number
  /** How long a batch sleeps while only claimed and unknown rows are left. */
  passMs: number
  /** How long nothing is sent once the provider says that the 24-hour quota is used up. */
  quotaPauseMs: number
  /** How long nothing is sent while the provider cannot be reached. */
  outagePauseMs: number
  /** How long a connection's own mail waits while its role or identity is refused. */
  stuckMs: number
  /** How often runs of flows that ended are looked for whose execution lives. */
  reconcileMs: number
  /** An execution without progress for so long is looked at by itself. */
  stillMs: number
}

export const PRODUCTION_TIMINGS: Timings = {
  beginMs: 1_000,
  callMs: 10_000,
  leaseMs: 30_000,
  signatureMs: 300_000,
  doubtMs: 900_000,
  distanceMs: 120_000,
  patienceMs: 86_400_000,
  passMs: 30_000,
  quotaPauseMs: 600_000,
  outagePauseMs: 5_000,
  stuckMs: 30_000,
  reconcileMs: 20_000,
  stillMs: 900_000,
}

/** The same with everything shortened together, for `dev` and tests against the sandbox. */
export const SHORT_TIMINGS: Timings = {
  beginMs: 1_000,
  callMs: 3_000,
  leaseMs: 5_000,
  signatureMs: 5_000,
  doubtMs: 15_000,
  distanceMs: 2_000,
  patienceMs: 600_000,
  passMs: 1_000,
  quotaPauseMs: 3_000,
  outagePauseMs: 500,
  stuckMs: 2_000,
  reconcileMs: 1_000,
  stillMs: 60_000,
}
