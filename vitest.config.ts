import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/sequence.ts'
import { isFull, sized } from './test/support/size.ts'

/**
 * Tests that replace modules, set the clock of ids forward, or measure the process they run in. All
 * others share processes: half of the work of a short file is loading and warming up the same code.
 */
const ALONE = [
  'test/runtime/ids.test.ts',
  'test/access/matrix-without-checks.test.ts',
  'test/content/hostile-contents.test.ts',
  'test/flows/run-flow-lost-tasks.test.ts',
  'test/mail/hostile.test.ts',
  'test/mail/renderer.test.ts',
]
/**
 * Tests that start whole programs and kill them, browsers, and what is generated or packed: a run
 * of their own, `npm run test:programs`.
 */
const PROGRAMS = [
  'test/{client,dev,faults,main,setup}/**/*.test.ts',
  'test/console/*-in-browser.test.ts',
  'test/http/docs-page.test.ts',
  'test/mail/mails-in-browser.test.ts',
]
/**
 * Tests that run only in full size, `npm run test:slow`. A change seldom breaks what they prove, or
 * a smaller test notices it first: see docs/decisions/0064-what-tests-cost.md.
 */
const FULL_SIZE_ONLY = [
  'test/access/matrix-without-checks.test.ts',
  'test/audience/contacts-search.test.ts',
  'test/db/{hot-plans,plans-at-scale,plans-of-newcomers}.test.ts',
  'test/faults/!(flows|import|mail-queue|silence|worker).test.ts',
  'test/house/interrupted-run.test.ts',
  'test/http/fuzz.test.ts',
  'test/limits/rate-limit-oracle.test.ts',
]
const exclude = ['**/node_modules/**', ...(isFull ? [] : FULL_SIZE_ONLY)]

const shared = {
  pool: 'forks' as const,
  // More than twice two cores: half of the time of a file is spent waiting.
  maxWorkers: 5,
  // Far more than any needs on a busy machine: they bound what hangs, and say nothing of speed.
  testTimeout: sized(240_000, 3_600_000),
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
  // The AWS SDK's notice of Node versions to come, once for each process.
  env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  setupFiles: ['test/support/setup.ts'],
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/plain-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...shared, name: 'alone', isolate: true, include: ALONE, exclude } },
      {
        test: {
          ...shared,
          name: 'together',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ALONE, ...PROGRAMS],
        },
      },
      { test: { ...shared, name: 'programs', isolate: false, include: PROGRAMS, exclude } },
    ],
  },
})
