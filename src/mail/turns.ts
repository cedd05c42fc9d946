import type { ErrorDetail } from '../domain/errors.ts'
import type { RenderReason } from './render.ts'
import type { Work, Works } from './works.ts'

/** What a thread is asked to do next: items of one work, as many as it comes to in a turn. */
export interface Turn<W extends Work = Work> {
  work: W
  shared: Works[W]['shared']
  /** Names `shared`: what is made of it once is kept for the next turn. */
  key: string | undefined
  items: readonly Works[W]['item'][]
}

/** What became of one item in a thread. */
export type Answer<W extends Work = Work> =
  | { kind: 'made'; result: Works[W]['result'] }
  /** This item cannot be rendered; others can. */
  | { kind: 'refused'; reason: RenderReason; message: string }
  /** A content that is wrong: a 400. */
  | { kind: 'invalid'; message: string; details: ErrorDetail[] }
  /** A mistake of ours. */
  | { kind: 'broken'; message: string }

/** Answers to the first items that have none yet, in their order. */
export interface Report {
  answers: Answer[]
  /** The turn is over, whether or not all items have an answer. */
  isOver: boolean
}

/** What a thread and its process both see: the thread's id for the system, and where it is. */
export const STATE = {
  /** Zero: not known. */
  threadId: 0,
  /** The item of the turn that is being worked at, from 0; -1: none. */
  item: 1,
} as const
export const NO_ITEM = -1
