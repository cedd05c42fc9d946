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
  try {
    const exit = await runSchemathesis(schemathesis, folder, subject)
    const report = await readReport(join(folder, 'report.ndjson'))
    say(table(report))
    return exit === 0 && isClean(report)
  } finally {
    await subject.system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function runSchemathesis(command: string, folder: string, subject: Subject): Promise<number> {
  const { apiUrl } = subject.system
  const settingsFile = join(folder, 'schemathesis.toml')
  await writeFile(settingsFile, settings(subject))
  const args = [
    ['--config-file', settingsFile, '--no-color', 'run', `${apiUrl}/openapi.json`],
    ['--url', apiUrl, '--max-examples', options.examples],
    ['--report', 'ndjson', '--report-ndjson-path', join(folder, 'report.ndjson')],
    options.seed === undefined ? [] : ['--seed', options.seed],
    options.operation === undefined ? [] : ['--include-operation-id', options.operation],
  ].flat()
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: childEnvironment({ FUZZ_CONNECTION: subject.connectionId, NO_COLOR: '1' }),
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
