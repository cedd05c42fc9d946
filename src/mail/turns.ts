import type { ErrorDetail } from '../domain/errors.ts'
import type { RenderReason } from './render.ts'
import type { Work, Works } from './works.ts'

/** The next work of a thread: items of one kind, as many as it finishes in a turn. */
export interface Turn<W extends Work = Work> {
  work: W
  shared: Works[W]['shared']
  /** Cache key of the parsed `shared`. */
  key: string | undefined
  items: readonly Works[W]['item'][]
}

export type Answer<W extends Work = Work> =
  | { kind: 'made'; result: Works[W]['result'] }
  /** This item cannot be rendered. Others can. */
  | { kind: 'refused'; reason: RenderReason; message: string }
  /** The content is wrong: a 400. */
  | { kind: 'invalid'; message: string; details: ErrorDetail[] }
  | { kind: 'broken'; message: string }

/** Answers for the first unanswered items, in order. */
export interface Report {
  answers: Answer[]
  /** The turn is over, even if some items have no answer. */
  isOver: boolean
}

/** Memory shared by a thread and its process. */
export const STATE = {
  /** The system's id of the thread. Zero: unknown. */
  threadId: 0,
  /** Index of the current item of the turn. -1: none. */
  item: 1,
} as const
export const NO_ITEM = -1
