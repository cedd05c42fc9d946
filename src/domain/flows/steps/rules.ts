import type { Condition, Filter } from '../../audience/condition.ts'
import type { ErrorDetail } from '../../errors.ts'
import type { FinalStatus } from '../execution.ts'

export interface StepRules<Config> {
  /**
   * Returns the problems of the config alone. Paths begin with `path`, messages do not name the
   * step.
   */
  check?: (config: Config, path: string) => ErrorDetail[]
  /**
   * Returns the end of the step, if it follows from the step alone. `point` is a number in [0, 1),
   * constant for this step of this execution. Absent: an activity runs the step.
   */
  decide?: (step: { name: string; config: Config }, point: number) => Decision
  /** Branches with which the step can end. Absent: it has one way on, without a name. */
  branches?: (config: Config) => string[]
  /** Branch of a transition without a name. The others need no transition. */
  usualBranch?: string
  isLast?: true
  /**
   * Returns whether time passes before the step ends with this branch, so that a loop through it
   * pauses.
   */
  pauses?: (branch: string | undefined) => boolean
  /**
   * Changes the config's Liquid values. `change` gets each with its path, which begins with the
   * name of its field. Absent: the config has none.
   */
  mapValues?: (config: Config, change: (value: unknown, path: string) => unknown) => Config
  mails?: true
  calls?: true
  topic?: 'needed' | 'optional'
  fires?: 'topic_subscribed' | 'topic_unsubscribed'
  /** Content that the step renders like a mail. Absent: none. */
  content?: (config: Config) => StepContent
  /** Changes the config's conditions. Paths begin with the name of the condition's field. */
  mapConditions?: (
    config: Config,
    change: (condition: Condition, path: string) => Condition,
  ) => Config
  awaitsMailOf?: (config: Config) => string
  /** Returns the contact's fields that it writes, as conditions name them. Absent: none. */
  writes?: (config: Config) => readonly string[]
  /**
   * Returns whether a contact may meet (`wanted`), or not meet, a filter after the step. Absent: it
   * may.
   */
  mayMeet?: (config: Config, filter: Filter, isWanted: boolean) => boolean
  lacks?: string
  /** Summary in a few words for a diagram. */
  gist: (config: Config) => string
  /** Label of a branch's transition in a diagram. Absent: the branch's name. */
  branchLabel?: (config: Config, branch: string) => string
  /** Shape in a diagram. Absent: that of an action. */
  shape?: 'decision' | 'wait' | 'end'
}

export interface MailConfig {
  templateId?: string
  subject?: string
  html?: string
  from?: string
  fromName?: string
  replyTo?: string
  cloudAccountId?: string
  topicId?: string
  variables?: Record<string, unknown>
}

export interface CallConfig {
  url: string
  /** Values are sealed in `flow_headers`. Here each is `***`. */
  headers?: Record<string, string>
}

export interface StepContent {
  subject?: string | null
  html: string
  /** Null: the text is made from `html`. */
  text: string | null
  variableNames: readonly string[]
  field: 'html' | 'body'
}

type Decision =
  | { kind: 'done'; branch?: string }
  | { kind: 'failed'; reason: string; error: string }
  | { kind: 'ended'; status: FinalStatus; reason: string | null }

export const problem = (path: string, message: string): ErrorDetail => ({ path, message })

export const checkNames = (
  names: readonly string[],
  at: (index: number) => string,
): ErrorDetail[] => repeated(names).map((index) => problem(at(index), 'is repeated'))

export function repeated(texts: readonly string[]): number[] {
  const seenTexts = new Set<string>()
  return texts.flatMap((text, index) => (seenTexts.has(text) ? [index] : (seenTexts.add(text), [])))
}
