export interface SinkSettings {
  latencyMs: number
  /** Where calls go that are not SendEmail. */
  upstream: string
  /** Null: it makes no events. */
  webhook: { url: string; secret: string; account: string; sender: string } | null
}

export type SinkQuestion =
  | { kind: 'set'; settings: Partial<SinkSettings> }
  | { kind: 'forget' }
  | { kind: 'count' }

export interface SinkCount {
  accepted: number
  /** Mails to a recipient who had one already. */
  twice: number
  /** Milliseconds of the sink's own clock. */
  firstAt: number
  lastAt: number
  events: number
  /** Events that were not taken and came again. */
  refusedEvents: number
  /** Events that were not taken yet. */
  waiting: number
}

/** `sample` is the body of the first mail. */
export type SinkAnswer = { port: number } | { count: SinkCount; sample: string }
