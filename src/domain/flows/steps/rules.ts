import type { Condition, Filter } from '../../audience/condition.ts'
import type { ErrorDetail } from '../../errors.ts'
import type { FinalStatus } from '../execution.ts'

/** Rules of a type of step that do not depend on its execution. */
export interface StepRules<Config> {
  /**
   * Problems of the config, without looking at other steps: paths begin with `path`, messages do
   * not name the step.
   */
  check?: (config: Config, path: string) => ErrorDetail[]
  /**
   * How it ends, if that follows from the step alone. `point` is a number in [0, 1), constant for
   * this step of this execution. Absent: an activity runs the step.
   */
  decide?: (step: { name: string; config: Config }, point: number) => Decision
  /** The branches with which it can end. Absent: it has one way on, without a name. */
  branches?: (config: Config) => string[]
  /** The branch of a transition that names none. The others need no transition. */
  usualBranch?: string
  /** Nothing comes after it. */
  isLast?: true
  /** Whether time passes before it ends with this branch, so that a loop through it pauses. */
  pauses?: (branch: string | undefined) => boolean
  /**
   * The config with its values changed whose texts are Liquid. `change` gets each with its path,
   * which begins with the name of its field. Absent: no value of it is Liquid.
   */
  mapValues?: (config: Config, change: (value: unknown, path: string) => unknown) => Config
  /** Marks a config that holds a mail: see `MailConfig`. */
  mails?: true
  /** Marks a config that holds a request: see `CallConfig`. */
  calls?: true
  /** Marks a config that names a topic: `topicId`, and on the wire also `topicSlug`. */
  topic?: 'needed' | 'optional'
  /** The trigger that it fires with its topic. */
  fires?: 'topic_subscribed' | 'topic_unsubscribed'
  /** Content that it renders like a mail. Absent: none. */
  content?: (config: Config) => StepContent
  /** The config with its conditions changed; paths begin with the name of the condition's field. */
  mapConditions?: (
    config: Config,
    change: (condition: Condition, path: string) => Condition,
  ) => Config
  /** The id of the step whose mail it waits for. */
  awaitsMailOf?: (config: Config) => string
  /** The contact's fields that it writes, as conditions name them. Absent: none. */
  writes?: (config: Config) => readonly string[]
  /** Whether a contact may meet (`wanted`), or not meet, a filter after the step. Absent: yes. */
  mayMeet?: (config: Config, filter: Filter, wanted: boolean) => boolean
  /** Why flows with such a step cannot run. */
  lacks?: string
  /** Summary in a few words for a diagram. */
  gist: (config: Config) => string
  /** Label of a branch's transition in a diagram. Absent: the branch's name. */
  branchLabel?: (config: Config, branch: string) => string
  /** Shape in a diagram. Absent: that of an action. */
  shape?: 'decision' | 'wait' | 'end'
}

/** A mail as configs of steps hold it. */
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

/** A request to an address of the customer's, as configs of steps hold it. */
export interface CallConfig {
  url: string
  /** Values are sealed elsewhere (`flow_headers`); here each is `***`. */
  headers?: Record<string, string>
}

/** A text that is rendered, with its parts. */
export interface StepContent {
  subject?: string | null
  html: string
  /** Null: it is made from `html`. */
  text: string | null
  /** Names that it may use besides those that every content may use. */
  variableNames: readonly string[]
  /** The field of the config that `html` or `text` is. */
  field: 'html' | 'body'
}

/** End of a step that does nothing else. */
type Decision =
  | { kind: 'done'; branch?: string }
  | { kind: 'failed'; reason: string; error: string }
  | { kind: 'ended'; status: FinalStatus; reason: string | null }

export const problem = (path: string, message: string): ErrorDetail => ({ path, message })

/** A problem for each name that the list has before. */
export const checkNames = (
  names: readonly string[],
  at: (index: number) => string,
): ErrorDetail[] => repeated(names).map((index) => problem(at(index), 'is there twice'))

/** The indices of values that the list has before. */
export function repeated(texts: readonly string[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, index) => (seen.has(text) ? [index] : (seen.add(text), [])))
}
