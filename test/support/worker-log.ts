import { setTimeout as sleep } from 'node:timers/promises'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { afterAll, expect, type RunnerTestSuite as Suite, vi } from 'vitest'

/**
 * What every worker of the tests says by the way: a worker of one queue has activities or
 * workflows, not both, the development server is older than the newest SDK wishes, and a busy
 * machine is slow: a task is done when its run is over or when Temporal has given it to another.
 */
const ALWAYS = [
  /^No (workflows|activities) registered, not polling/,
  /^\[TMPRL1104\] .* Workflow task duration exceeded/,
  /^(Task not found when completing|Activity not found on completion)/,
  /^Tried to complete untracked local activity/,
  /^Temporal Server \S+ or newer is required to guarantee that the latest heartbeat details/,
]

interface Meant {
  pattern: RegExp
  wasSeen: boolean
}

/** Of the test file that runs now: files of one process run one after the other. */
let meant: Meant[] = []

/** The SDK keeps its lines for a tenth of a second, to sort them. */
const KEPT_MS = 300
const PATIENCE_MS = 10_000

/**
 * Says which warnings of workers are meant in this test file: they are not shown, and the file
 * fails if one of them never comes. Each is matched with the message, the activity's or workflow's
 * type and the error. All other warnings are shown.
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

function expected(patterns: readonly RegExp[]): Meant[] {
  const own = patterns.map((pattern) => ({ pattern, wasSeen: false }))
  meant = [...meant, ...own]
  return own
}

function forget(own: readonly Meant[]): void {
  meant = meant.filter((each) => !own.includes(each))
}

const isWhole = ({ mode, tasks }: Suite): boolean =>
  mode === 'run' &&
  tasks.every((task) => (task.type === 'suite' ? isWhole(task) : task.mode === 'run'))

function isMeant(text: string): boolean {
  const found = meant.filter(({ pattern }) => pattern.test(text))
  for (const each of found) each.wasSeen = true
  return found.length > 0 || ALWAYS.some((pattern) => pattern.test(text))
}

const shown = new DefaultLogger('WARN')

/** Once in a process, before anything of the SDK is used: import this file beside it. */
Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    const { activityType, workflowType, error } = meta
    const of = activityType ?? workflowType ?? ''
    if (!isMeant(`${message} ${String(of)} ${String(error ?? '')}`)) shown.log(level, message, meta)
  }),
  // Also what the SDK's core says, which writes to stderr itself otherwise.
  telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
})
