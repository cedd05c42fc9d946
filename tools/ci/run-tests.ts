/**
 * Runs npm scripts of tests, and each failed file once more, alone and in a fresh process. Prints
 * `flaky: file > test (reason)` for a test that passes then, `red: …` for one that does not, and
 * ends with `N passed, N failed`. docs/flaky.md describes what happens to flaky tests.
 *
 * Usage: tsx tools/ci/run-tests.ts test test:programs
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Failure, filesToRepeat, type Report, verdictOn } from './verdict.ts'

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-tests-'))

/** Runs a command that writes a report. A run without a report has lost its tests. */
async function run(title: string, command: string, args: readonly string[]): Promise<Report> {
  const file = join(folder, 'report.json')
  await rm(file, { force: true })
  const began = Date.now()
  const child = spawn('env', [`TEST_REPORT=${file}`, command, ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  const report = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => ({ passed: 0, failures: [lost(title)] }),
  )
  const isUnexplained = code !== 0 && report.failures.length === 0
  say(`== ${title}: ${Math.round((Date.now() - began) / 1_000)} s`)
  return isUnexplained ? { ...report, failures: [lost(title)] } : report
}

const lost = (title: string): Failure => ({
  file: '',
  test: title,
  reason: 'the run ended without a report of what failed',
  isBrokenGuarantee: false,
})

const lineOf = ({ file, test, reason }: Failure): string =>
  `${[file, test].filter((part) => part !== '').join(' > ')} (${reason})`

try {
  const report = { passed: 0, failures: [] as Failure[] }
  for (const script of process.argv.slice(2)) {
    const { passed, failures } = await run(script, 'npm', ['run', script])
    report.passed += passed
    report.failures.push(...failures)
  }
  const repeated = new Map<string, readonly Failure[]>()
  for (const file of filesToRepeat(report.failures)) {
    const { failures } = await run(`once more ${file}`, 'npx', ['vitest', 'run', file])
    repeated.set(file, failures)
  }
  const { passed, failed, red, flaky } = verdictOn(report, repeated)
  for (const each of flaky) say(`flaky: ${lineOf(each)}`)
  for (const each of red) say(`red: ${lineOf(each)}`)
  say(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
