import type { ErrorDetail } from '../domain/errors.ts'
import type { RenderReason } from './render.ts'
import type { Work, Works } from './works.ts'

export interface Turn<W extends Work = Work> {
  work: W
  shared: Works[W]['shared']
  key: string | undefined
  items: readonly Works[W]['item'][]
}

export type Answer<W extends Work = Work> =
  | { kind: 'made'; result: Works[W]['result'] }
  | { kind: 'refused'; reason: RenderReason; message: string }
  | { kind: 'invalid'; message: string; details: ErrorDetail[] }
  | { kind: 'broken'; message: string }

export interface Report {
  answers: Answer[]
  isOver: boolean
}

export const STATE = {
  threadId: 0,
  item: 1,
} as const
export const NO_ITEM = -1
