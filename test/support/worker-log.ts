import { setTimeout as sleep } from 'node:timers/promises'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { afterAll, expect, type RunnerTestSuite as Suite, vi } from 'vitest'

/**
 * Harmless warnings of every worker in tests: a worker of one queue has activities or workflows,
 * not both, the development server is older than the newest SDK wants, and on a busy machine a task
 * may finish after its run is over or was given to another worker.
 */
const ALWAYS = [
  /^No (workflows|activities) registered, not polling/,
  /^\[TMPRL1104\] .* Workflow task duration exceeded/,
  /^(Task not found when completing|Activity not found on completion)/,
  /^Tried to complete untracked local activity/,
  /^Temporal Server \S+ or newer is required to guarantee that the latest heartbeat details/,
]

interface ExpectedWarning {
  pattern: RegExp
  wasSeen: boolean
}

/** Expected warnings of the present test file. Files of one process run one after the other. */
let expectedWarnings: ExpectedWarning[] = []

/** The SDK holds its lines for a tenth of a second to sort them. */
const KEPT_MS = 300
const PATIENCE_MS = 10_000

/**
 * Declares the expected warnings of this test file: they are not shown, and the file fails if one
 * of them does not occur. Patterns are matched with the message, the type of the activity or
 * workflow, and the error. All other warnings are shown.
 */
export function expectWarnings(...patterns: readonly RegExp[]): void {
  const own = expected(patterns)
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the names in it
  afterAll(async ({}, suite) => {
    await sleep(KEPT_MS)
    // Of some tests only, some of the warnings are to be expected.
    if (isWhole(suite)) {
      const missing = () => own.flatMap(({ pattern, wasSeen }) => (wasSeen ? [] : [pattern]))
      await vi.waitFor(() => expect(missing(), 'warnings that never came').toEqual([]), PATIENCE_MS)
    }
    forget(own)
  })
}

function expected(patterns: readonly RegExp[]): ExpectedWarning[] {
  const own = patterns.map((pattern) => ({ pattern, wasSeen: false }))
  expectedWarnings = [...expectedWarnings, ...own]
  return own
}

function forget(own: readonly ExpectedWarning[]): void {
  expectedWarnings = expectedWarnings.filter((each) => !own.includes(each))
}

const isWhole = ({ mode, tasks }: Suite): boolean =>
  mode === 'run' &&
  tasks.every((task) => (task.type === 'suite' ? isWhole(task) : task.mode === 'run'))

function isMeant(text: string): boolean {
  const matchingWarnings = expectedWarnings.filter(({ pattern }) => pattern.test(text))
  for (const each of matchingWarnings) each.wasSeen = true
  return matchingWarnings.length > 0 || ALWAYS.some((pattern) => pattern.test(text))
}

const defaultLogger = new DefaultLogger('WARN')

/** Runs once in a process, before the SDK is used: import this file beside it. */
Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    const { activityType, workflowType, error } = meta
    const of = activityType ?? workflowType ?? ''
    if (!isMeant(`${message} ${String(of)} ${String(error ?? '')}`))
      defaultLogger.log(level, message, meta)
  }),
  // Also what the SDK's core says, which writes to stderr itself otherwise.
  telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
})
