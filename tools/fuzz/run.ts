/**
 * Attacks every operation of the API with Schemathesis: requests made of the OpenAPI document,
 * valid and not, all checks on. A table of the operations at the end; exit status 0 when nothing
 * was found.
 *
 *   npm run fuzz -- [--examples 50] [--seed 1] [--operation createContact]
 *
 * Where Python or its packages cannot be had it says so and ends with status 0.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
    /** Requests generated for each operation and phase at most. */
    examples: { type: 'string', default: '50' },
    seed: { type: 'string' },
    /** Only this one, by its operationId. */
    operation: { type: 'string' },
  },
})

/** What only people may do, less what ends their session; a key is refused there. */
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

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const config = readConfig()
const found = await findSchemathesis(config.dev.cacheFolder, say)
if ('missing' in found) say(`fuzz: skipped: ${found.missing}`)
else process.exitCode = (await attack(found.schemathesis)) ? 0 : 1

async function attack(schemathesis: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-fuzz-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const subject = await startSubject(config, join(folder, 'system'), say)
  const door = await openDoor(subject.system.apiUrl)
  const { apiKey, session } = subject
  const { operation } = options
  const asked = (each: string): boolean => operation === undefined || operation === each
  const passes = [
    { name: 'key', bearer: apiKey, operations: operation === undefined ? [] : [operation] },
    { name: 'person', bearer: session, operations: PERSONAL.filter(asked) },
  ].filter(({ name, operations }) => name === 'key' || operations.length > 0)
  try {
    let clean = true
    for (const pass of passes) {
      const report = join(folder, `${pass.name}.ndjson`)
      const run = { ...pass, url: door.url, report, subject }
      const exit = await runSchemathesis(schemathesis, folder, run)
      const read = await readReport(report)
      say(table(read))
      if (exit !== 0) say(`Schemathesis ended with status ${exit}`)
      clean &&= exit === 0 && isClean(read)
    }
    return clean
  } finally {
    door.close()
    await subject.system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Pass {
  bearer: string
  /** All when empty. */
  operations: string[]
  url: string
  /** Where the report goes. */
  report: string
  subject: Subject
}

async function runSchemathesis(
  command: string,
  folder: string,
  { bearer, operations, url, report, subject }: Pass,
): Promise<number> {
  const settingsFile = join(folder, 'schemathesis.toml')
  await writeFile(settingsFile, settings(subject, bearer))
  const args = [
    ['--config-file', settingsFile, '--no-color', 'run', `${url}/openapi.json`],
    ['--url', url, '--max-examples', options.examples],
    // Each call a connection of its own, and so an address of its own: see strangers.ts.
    ['--header', 'Connection: close'],
    ['--report', 'ndjson', '--report-ndjson-path', report],
    options.seed === undefined ? [] : ['--seed', options.seed],
    operations.flatMap((operation) => ['--include-operation-id', operation]),
  ].flat()
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: childEnvironment({ FUZZ_CONNECTION: subject.connectionId, NO_COLOR: '1' }),
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
