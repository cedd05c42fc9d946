import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { SerializedError, TestError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/** Of what one failure says, of what differs and of the stack as much is told again. */
const CHARACTERS = 600
const DIFFERENCE = 1_200
const FRAMES = 3
/** Test files that are named with their seconds. */
const SLOWEST = 10

/**
 * Ends a run with its slowest files, what failed, a few lines each, and one line that a script can
 * read: `12 passed, 1 failed`. A file that cannot be loaded, a failing hook of a whole file or
 * suite, and an error outside of any test each count as one that failed: a run that lost its tests
 * must not look like one that passed.
 */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const tell = (name: string, errors: readonly SerializedError[] | undefined): void => {
      for (const error of errors ?? []) process.stdout.write(`failed: ${name}\n${brief(error)}\n`)
    }
    const broke = (name: string, errors: readonly SerializedError[]): void => {
      count.failed += errors.length
      tell(name, errors)
    }
    process.stdout.write(slowest(modules))
    for (const module of modules) {
      broke(module.relativeModuleId, module.errors())
      for (const suite of module.children.allSuites()) {
        broke(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors())
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        count[state]++
        tell(`${module.relativeModuleId} > ${test.fullName}`, errors)
      }
    }
    broke('outside of any test', unhandled)
    const skipped = count.skipped + count.pending
    const more = skipped > 0 ? `, ${skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${more}\n`)
  }
}

/** The files that took longest; nothing where there are no more than that. */
function slowest(modules: readonly TestModule[]): string {
  if (modules.length <= SLOWEST) return ''
  const timed = modules.map((module) => {
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    const seconds = (duration + collectDuration + setupDuration) / 1_000
    return { seconds, name: module.relativeModuleId }
  })
  const lines = timed
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST)
    .map(({ seconds, name }) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`)
  return ['slowest files:', ...lines, ''].join('\n')
}

/** What went wrong and where, each line indented. */
function brief({ message, diff, stacks = [] }: TestError): string {
  const frames = stacks.slice(0, FRAMES).map(({ file, line }) => `at ${relative('', file)}:${line}`)
  const changed = stripVTControlCharacters(diff ?? '')
    .split('\n')
    .filter((line) => /^[-+]/.test(line))
    .join('\n')
  return [message.slice(0, CHARACTERS), changed.slice(0, DIFFERENCE), ...frames]
    .filter((part) => part !== '')
    .flatMap((part) => part.split('\n'))
    .map((line) => `  ${line}`)
    .join('\n')
}
