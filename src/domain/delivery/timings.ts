/**
 * Time limits of the steps of a send, in milliseconds, after which others may act. They depend on
 * each other: a call begins within `beginMs` of its claim and ends by `callMs`; the claim's lease
 * is longer than both; the provider refuses a signature older than `signatureMs`; a row in doubt is
 * decided only after `doubtMs`, when no call signed at its claim can be accepted any more.
 */
export interface Timings {
  /** A call that did not begin this long after its claim was committed does not begin at all. */
  beginMs: number
  /** Deadline of one call to the provider. */
  callMs: number
  /** A claim older than this is taken for lost: its worker is gone or stuck. */
  leaseMs: number
  /** The provider refuses signatures older than this. AWS: five minutes. */
  signatureMs: number
  /** A row in doubt is decided no sooner than this after its claim. */
  doubtMs: number
  /** Mails claimed this close to a row in doubt tell whether events of its time arrive. */
  neighbourMs: number
  /** A stored event may wait this long to be applied before silence stops being evidence. */
  applyMs: number
  /** Without a heartbeat of an API process for so long, delivery events were not received. */
  receivingGapMs: number
  /** A row in doubt that nothing decides is given up, or sent again, this long after its claim. */
  giveUpMs: number
  /** A batch with nothing but rows in doubt, or a flow's step, goes on without them after this. */
  awaitedMs: number
  /** Sleep of a batch while only claimed and unknown rows are left. */
  passMs: number
  /** Pause after the provider reports that the 24-hour quota is used up. */
  quotaPauseMs: number
  /** Pause while the provider cannot be reached. */
  outagePauseMs: number
  /** Pause of a connection's own mail while its role or identity is refused. */
  stuckMs: number
  /** Time for which a connection's single mail may hold a slot while others may wait for one. */
  drainMs: number
  /** Interval of the search for ended runs of live executions. */
  reconcileMs: number
  /** An execution without progress for so long is looked at by itself. */
  noProgressMs: number
}

export const PRODUCTION_TIMINGS: Timings = {
  beginMs: 1_000,
  callMs: 10_000,
  leaseMs: 30_000,
  signatureMs: 300_000,
  doubtMs: 900_000,
  neighbourMs: 300_000,
  applyMs: 5_000,
  receivingGapMs: 10_000,
  giveUpMs: 90_000_000,
  awaitedMs: 3_600_000,
  passMs: 30_000,
  quotaPauseMs: 600_000,
  outagePauseMs: 5_000,
  stuckMs: 30_000,
  drainMs: 30_000,
  reconcileMs: 20_000,
  noProgressMs: 900_000,
}

/** The same limits, all shortened together, for `dev` and tests against the sandbox. */
export const SHORT_TIMINGS: Timings = {
  beginMs: 1_000,
  callMs: 3_000,
  leaseMs: 5_000,
  signatureMs: 5_000,
  doubtMs: 15_000,
  neighbourMs: 5_000,
  applyMs: 2_000,
  receivingGapMs: 3_000,
  giveUpMs: 600_000,
  awaitedMs: 60_000,
  passMs: 1_000,
  quotaPauseMs: 3_000,
  outagePauseMs: 500,
  stuckMs: 2_000,
  drainMs: 30_000,
  reconcileMs: 1_000,
  noProgressMs: 60_000,
}
