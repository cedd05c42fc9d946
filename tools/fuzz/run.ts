/**
 * Attacks every operation of the API with Schemathesis: requests generated from the OpenAPI
 * document, valid and invalid, with all checks on. Several processes run at once, as one does not
 * use two processors. Each prints its output when it has ended, followed by a table of the
 * operations. Exit status 0: nothing was found.
 *
 * npm run fuzz -- [--examples 50] [--seed 1] [--operation createContact] [--brief]
 *
 * Without Python or its packages it says so and ends with status 0.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { childEnvironment, readConfig } from '../../src/config.ts'
import { findSchemathesis } from './python.ts'
import { isClean, readReport, table } from './report.ts'
import { settings } from './settings.ts'
import { openDoor } from './strangers.ts'
import { startSubject, type Subject } from './subject.ts'

const { values: options } = parseArgs({
  options: {
    /** Limit of generated requests for each operation and phase. */
    examples: { type: 'string', default: '50' },
    seed: { type: 'string' },
    operation: { type: 'string' },
    /** Skips the requests for each single value of the operations in `ALIKE`. */
    brief: { type: 'boolean', default: false },
  },
})

/** Operations for people only, except those that end their session. Keys are refused there. */
const PERSONAL = [
  'listSessions',
  'changePassword',
  'listMembers',
  'inviteMember',
  'listInvitations',
  'getInvitation',
  'revokeInvitation',
  'resendInvitation',
  'changeMember',
  'removeMember',
  'createApiKey',
  'renameApiKey',
  'revokeApiKey',
]

/** These have the body of `createWorkflow` and would get a quarter of all requests. */
const ALIKE = ['pushWorkflows', 'updateWorkflow']

/** Paths that take half of the time of single-value requests. Two processes share them. */
const HALF = '^/(tools|v1/(connections|contacts|events|organization|workflows))'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const config = readConfig()
const fuzzer = await findSchemathesis(config.dev.cacheFolder, say)
if ('missing' in fuzzer) say(`fuzz: skipped: ${fuzzer.missing}`)
else process.exitCode = (await attack(fuzzer.schemathesis)) ? 0 : 1

async function attack(schemathesis: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-fuzz-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const subject = await startSubject(config, join(folder, 'system'), say)
  const door = await openDoor(subject.system.apiUrl)
  const { apiKey, session } = subject
  const { operation } = options
  const isWanted = (each: string): boolean => operation === undefined || operation === each
  const byKey = { bearer: apiKey, operations: operation === undefined ? [] : [operation] }
  const eachAlone = {
    ...byKey,
    without: options.brief && operation === undefined ? ALIKE : [],
    phases: ['examples', 'coverage'],
  }
  const passes: Pass[] = [
    ...(operation === undefined
      ? [
          { ...eachAlone, name: 'by key, each value alone, one half', within: HALF },
          { ...eachAlone, name: 'by key, each value alone, the other half', outside: HALF },
        ]
      : [{ ...eachAlone, name: 'by key, each value alone' }]),
    // Calls that follow from others go the ways that the requests made up before have shown.
    { ...byKey, name: 'by key, at random', phases: ['fuzzing', 'stateful'] },
    {
      name: 'by a person',
      bearer: session,
      operations: PERSONAL.filter(isWanted),
      phases: ['examples', 'coverage', 'fuzzing', 'stateful'],
      // A person has 600 requests a minute.
      rateLimit: '9/s',
    },
  ].filter(({ bearer, operations }) => bearer === apiKey || operations.length > 0)
  say(`attacks: ${passes.map(({ name }) => name).join('; ')}`)
  const run = async (pass: Pass, n: number): Promise<boolean> => {
    const own = join(folder, String(n))
    await mkdir(own)
    const report = join(own, 'report.ndjson')
    const target = { url: door.url, report, subject }
    const { status, text } = await runSchemathesis(schemathesis, own, pass, target)
    const read = await readReport(report)
    say(`== ${pass.name}\n${text}\n${table(read)}`)
    if (status !== 0) say(`Schemathesis ended with status ${status}`)
    return status === 0 && isClean(read)
  }
  try {
    return (await Promise.all(passes.map(run))).every((isCleanPass) => isCleanPass)
  } finally {
    door.close()
    await subject.system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Pass {
  name: string
  bearer: string
  operations: string[]
  without?: string[]
  /** Regular expression of paths, or of excluded paths. */
  within?: string
  outside?: string
  /** Phases of Schemathesis, in its order. */
  phases: string[]
  /** Most requests, as Schemathesis writes it. Absent: as many as it makes. */
  rateLimit?: string
}

interface Target {
  url: string
  report: string
  subject: Subject
}

/** Resolves to its output and exit status. */
async function runSchemathesis(
  command: string,
  folder: string,
  { bearer, operations, without = [], within, outside, phases, rateLimit }: Pass,
  { url, report, subject }: Target,
): Promise<{ status: number; text: string }> {
  const settingsFile = join(folder, 'schemathesis.toml')
  await writeFile(settingsFile, settings(subject, bearer))
  const args = [
    ['--config-file', settingsFile, '--no-color', 'run', `${url}/openapi.json`],
    ['--url', url, '--max-examples', options.examples, '--phases', phases.join(',')],
    // Each call a connection of its own, and so an address of its own: see strangers.ts.
    ['--header', 'Connection: close'],
    ['--report', 'ndjson', '--report-ndjson-path', report],
    options.seed === undefined ? [] : ['--seed', options.seed],
    operations.flatMap((operation) => ['--include-operation-id', operation]),
    without.flatMap((operation) => ['--exclude-operation-id', operation]),
    within === undefined ? [] : ['--include-path-regex', within],
    outside === undefined ? [] : ['--exclude-path-regex', outside],
    rateLimit === undefined ? [] : ['--rate-limit', rateLimit],
  ].flat()
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment({ FUZZ_CONNECTION: subject.connectionId, NO_COLOR: '1' }),
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => (text += more))
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { status: code ?? 1, text }
}
