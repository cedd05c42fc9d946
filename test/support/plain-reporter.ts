import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { SerializedError, TestError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import type { Failure, Report } from '../../tools/ci/verdict.ts'
import './cpu-time.ts'
import { BrokenGuarantee } from './guarantee.ts'

/** Limit of a failure's message, difference and stack. */
const CHARACTERS = 600
const DIFFERENCE = 1_200
const FRAMES = 3
const REASON = 200
const OUTSIDE = 'outside of any test'
/** Test files that are listed with their seconds. */
const SLOWEST = 10
/** File for the times of all test files. */
const TIMES_FILE = process.env['TEST_TIMES']
/** File for the report that `.ci/run` reads. */
const REPORT_FILE = process.env['TEST_REPORT']

/**
 * Ends a run with its slowest files, its failures in a few lines each, and one line that a script
 * can read: `12 passed, 1 failed`. A file that cannot be loaded, a failing hook of a whole file or
 * suite, and an error outside of any test each count as one failure: a run that lost its tests must
 * not look like one that passed.
 */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const failures: Failure[] = []
    const tell = (file: string, test: string, errors: readonly SerializedError[] = []): void => {
      const name = test === '' ? file : `${file} > ${test}`
      for (const error of errors) process.stdout.write(`failed: ${name}\n${brief(error)}\n`)
      const [error] = errors
      if (error === undefined) return
      failures.push({
        file: file === OUTSIDE ? '' : file,
        test,
        reason: reasonOf(error, file),
        isBrokenGuarantee: errors.some(isBrokenGuarantee),
      })
    }
    const broke = (file: string, test: string, errors: readonly SerializedError[]): void => {
      count.failed += errors.length
      tell(file, test, errors)
    }
    const times = timesOf(modules)
    if (TIMES_FILE !== undefined) writeFileSync(TIMES_FILE, `${times.map(line).join('\n')}\n`)
    process.stdout.write(slowest(times))
    for (const module of modules) {
      const file = module.relativeModuleId
      broke(file, '', module.errors())
      for (const suite of module.children.allSuites()) broke(file, suite.fullName, suite.errors())
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        count[state]++
        tell(file, test.fullName, errors)
      }
    }
    broke(OUTSIDE, '', unhandled)
    const report: Report = { passed: count.passed, failures }
    if (REPORT_FILE !== undefined) writeFileSync(REPORT_FILE, JSON.stringify(report))
    const skipped = count.skipped + count.pending
    const more = skipped > 0 ? `, ${skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${more}\n`)
  }
}

/** First line of the message, and the line of the test file that waited or asserted. */
function reasonOf({ message, stacks = [] }: TestError, testFile: string): string {
  const reason = (message.split('\n')[0] ?? '').slice(0, REASON)
  const frame = stacks.find(({ file }) => relative('', file) === testFile)
  return frame === undefined ? reason : `${reason}, line ${frame.line}`
}

/** Also recognizes it as the cause of another error, since fast-check throws its own. */
function isBrokenGuarantee({ name, cause }: SerializedError): boolean {
  return name === BrokenGuarantee.name || (cause !== undefined && isBrokenGuarantee(cause))
}

/** The slowest files, or nothing if there are few files. */
function slowest(times: readonly FileTime[]): string {
  if (times.length <= SLOWEST) return ''
  return ['slowest files:', ...times.slice(0, SLOWEST).map(line), ''].join('\n')
}

interface FileTime {
  name: string
  seconds: number
  /** Of the test's process and its children, without the servers' work. */
  cpuSeconds: number
}

/** Times of all files, the longest first. */
function timesOf(modules: readonly TestModule[]): FileTime[] {
  const times = modules.map((module) => {
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    return {
      name: module.relativeModuleId,
      seconds: (duration + collectDuration + setupDuration) / 1_000,
      cpuSeconds: module.meta().cpuSeconds ?? 0,
    }
  })
  return times.toSorted((one, other) => other.seconds - one.seconds)
}

const line = ({ name, seconds, cpuSeconds }: FileTime): string =>
  `  ${seconds.toFixed(1).padStart(7)} s ${cpuSeconds.toFixed(1).padStart(7)} s of processor  ${name}`

/** A failure and its place, with indented lines. */
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
