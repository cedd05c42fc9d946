import type { ErrorDetail } from '../domain/errors.ts'
import type { RenderReason } from './render.ts'
import type { Work, Works } from './works.ts'

/** The next work of a thread: items of one kind, as many as it finishes in a turn. */
export interface Turn<W extends Work = Work> {
  work: W
  shared: Works[W]['shared']
  /** Names `shared`, which is parsed once and cached under this key. */
  key: string | undefined
  items: readonly Works[W]['item'][]
}

/** The outcome of one item. */
export type Answer<W extends Work = Work> =
  | { kind: 'made'; result: Works[W]['result'] }
  /** This item cannot be rendered; others can. */
  | { kind: 'refused'; reason: RenderReason; message: string }
  /** A content that is wrong: a 400. */
  | { kind: 'invalid'; message: string; details: ErrorDetail[] }
  /** A bug in our code. */
  | { kind: 'broken'; message: string }

/** Answers for the first items that have none yet, in their order. */
export interface Report {
  answers: Answer[]
  /** The turn is over, whether or not all items have an answer. */
  isOver: boolean
}

/** Shared by a thread and its process: the system's id of the thread, and its current item. */
export const STATE = {
  /** Zero: unknown. */
  threadId: 0,
  /** The current item of the turn, from 0; -1: none. */
  item: 1,
} as const
export const NO_ITEM = -1
