import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import * as workflows from '../../workflows/index.ts'
import { root } from '../house/files.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Failing workflow task/)

/**
 * What released versions recorded (`npm run histories`) must be replayed by the workflows as they
 * are now: else those that run at the moment of an upgrade stand still.
 */
const HISTORIES = join(root, 'test/histories')

interface Recorded {
  /** `1.0.0/send-batch.completed`. */
  workflowId: string
  runId: string
  type: string
  history: { events: object[] }
}
let recorded: Recorded[]
let folder: string

beforeAll(async () => {
  const paths = (await readdir(HISTORIES, { recursive: true })).filter((path) =>
    path.endsWith('.json'),
  )
  recorded = await Promise.all(paths.toSorted().map(read))
  folder = await mkdtemp(join(tmpdir(), 'letterloom-replay-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const part of ['workflows', 'src/domain']) {
    await cp(join(root, part), join(folder, part), { recursive: true })
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(path: string): Promise<Recorded> {
  const history = JSON.parse(await readFile(join(HISTORIES, path), 'utf8'))
  const [started] = history.events
  const { workflowType, originalExecutionRunId: runId } =
    started.workflowExecutionStartedEventAttributes
  return { workflowId: path.replace(/\.json$/, ''), runId, type: workflowType.name, history }
}

/** The histories that cannot be replayed, and why. */
async function failures(
  histories: Recorded[],
  workflowBundle: { codePath: string } | { code: string } = { codePath: inject('workflowBundle') },
): Promise<{ workflowId: string; why: string }[]> {
  const left = new Map(histories.map((one) => [one.runId, one]))
  const found = []
  // A result may be that of a run before: those that had none are replayed again.
  while (left.size > 0) {
    for await (const { runId, error } of Worker.runReplayHistories({ workflowBundle }, [
      ...left.values(),
    ])) {
      const one = left.get(runId)
      left.delete(runId)
      if (one && error) {
        found.push({ workflowId: one.workflowId, why: `${error.name}: ${error.message}` })
      }
    }
  }
  return found
}

interface Change {
  /** Of `workflows`. */
  file: string
  before: string
  after: string
}

/** The workflows with some of them changed. */
async function changed(...changes: Change[]): Promise<{ code: string }> {
  const texts = new Map<string, string>()
  for (const { file, before, after } of changes) {
    const path = join(folder, 'workflows', file)
    const text = await readFile(path, 'utf8')
    expect(text).toContain(before)
    texts.set(path, text)
    await writeFile(path, text.replace(before, after))
  }
  try {
    return await bundleWorkflowCode({
      workflowsPath: join(folder, 'workflows/index.ts'),
      logger: new DefaultLogger('ERROR'),
    })
  } finally {
    for (const [path, text] of texts) await writeFile(path, text)
  }
}

const of = (type: string) => recorded.filter((one) => one.type === type)

test('every workflow has a history, and every history a workflow', () => {
  const types = new Set(recorded.map(({ type }) => type))
  expect([...types].toSorted()).toEqual(Object.keys(workflows).toSorted())
})

test('each history that was recorded is replayed by the workflows as they are', async () => {
  expect(recorded.length).toBeGreaterThan(20)
  expect(await failures(recorded)).toEqual([])
})

const LINE = 'if (!(await beginErasure(input))) return'
const WAITS = { file: 'erase-contact.ts', before: LINE, after: `await sleep(1_000)\n  ${LINE}` }
const MOVES = {
  file: 'run-flow.ts',
  before: "if (where === 'local') {",
  after: "if (where === 'webhook') {",
}
let made: Promise<{ code: string }> | undefined
/** Two workflows that each do something else now; a bundle takes seconds. */
const broken = () => (made ??= changed(WAITS, MOVES))

test('a workflow that does something else now is found out, and its neighbours are not', async () => {
  const bundle = await broken()
  const found = await failures([...of('eraseContact'), ...of('sendNotice')], bundle)
  expect(found.map(({ workflowId }) => workflowId)).toEqual(
    of('eraseContact').map(({ workflowId }) => workflowId),
  )
  expect(found[0]?.why).toMatch(/^DeterminismViolationError: .*TMPRL1100/)
})

test('the same change behind `patched` is allowed', async () => {
  const path = 'erase-contact.ts'
  const patched = `if (patched('waits-first')) await sleep(1_000)\n  ${LINE}`
  const text = await readFile(join(folder, 'workflows', path), 'utf8')
  await writeFile(join(folder, 'workflows', path), text.replace('import { ', 'import { patched, '))
  const bundle = await changed({ file: path, before: LINE, after: patched })
  expect(await failures(of('eraseContact'), bundle)).toEqual([])
})

test('a step of a flow that is run as another kind of activity is found out', async () => {
  const found = await failures(of('runFlow'), await broken())
  expect(found.map(({ workflowId }) => workflowId)).toContain('1.0.0/run-flow.long-chain')
})

test('histories tell nothing of the machine they were recorded on, and no address', async () => {
  for (const { workflowId, history } of recorded) {
    const text = JSON.stringify(history)
    const identities = text.match(/"identity":"[^"]*"/g) ?? []
    expect(new Set(identities), workflowId).toEqual(new Set(['"identity":"recorder"']))
    const payloads = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    )
    for (const told of [text, ...payloads]) {
      expect(told, workflowId).not.toMatch(/"stackTrace"|@(?:[\w-]+\.)+[a-z]{2}|\.[tj]s:\d/)
    }
  }
})
