import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one line that a script can read: `12 passed, 0 failed`. A file that cannot be
 * loaded, a failing hook of a whole file or suite, and an error outside of any test each count as
 * one that failed: a run that lost its tests must not look like one that passed.
 */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
      for (const test of module.children.allTests()) count[test.result().state]++
    }
    const skipped = count.skipped + count.pending
    const more = skipped > 0 ? `, ${skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${more}\n`)
  }
}
