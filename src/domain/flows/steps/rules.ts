import type { ErrorDetail } from '../../errors.ts'
import type { FinalStatus } from '../execution.ts'

/** What is known of a type of step, whatever its execution. */
export interface StepRules<Config> {
  /**
   * Problems of the config, without looking at other steps: paths begin with `path`, messages do
   * not name the step.
   */
  check?: (config: Config, path: string) => ErrorDetail[]
  /**
   * How it ends, where that follows from the step alone. `point` is a number in [0, 1), always the
   * same for this step of this execution. Absent: an activity runs the step.
   */
  decide?: (step: { name: string; config: Config }, point: number) => Decision
  /** The branches with which it can end. Absent: it has one way on, without a name. */
  branches?: (config: Config) => string[]
  /** The branch of a transition that names none. The others need no transition. */
  usualBranch?: string
  /** Nothing comes after it. */
  isLast?: true
  /** Whether time passes before it ends with this branch, so that a loop through it is no haste. */
  pauses?: (branch: string | undefined) => boolean
  /**
   * The config with its values changed whose texts are Liquid. `change` gets each with its path,
   * which begins with the name of its field. Absent: no value of it is Liquid.
   */
  mapValues?: (config: Config, change: (value: unknown, path: string) => unknown) => Config
  /** What it does, in a few words for a diagram. */
  gist: (config: Config) => string
  /** What a diagram writes beside the transition of a branch. Absent: the branch's name. */
  branchLabel?: (config: Config, branch: string) => string
  /** How a diagram draws it. Absent: as something that is done. */
  shape?: 'decision' | 'wait' | 'end'
}

/** How a step ends that does nothing else. */
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
