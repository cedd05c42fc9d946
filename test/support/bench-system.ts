import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { connectSandbox, startSystem, type System } from '../../src/main/dev/system.ts'
import { cpuSecondsOf } from './cpu-time.ts'

const POLL_MS = 200
/** Commands of our own programs; others are called by the name of their process. */
const PROGRAMS = ['api', 'worker', 'sandbox']

type Say = (line: string) => void

/** Runs a benchmark beside a system of its own, with production's timings. */
export async function withSystem(
  measure: (system: System, say: Say) => Promise<void>,
): Promise<void> {
  const say: Say = (line) => void process.stdout.write(`${line}\n`)
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const system = await startSystem(readConfig(), folder, say, { timings: 'production' })
  try {
    await measure(system, say)
  } finally {
    await system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

export interface Tenant {
  client: Client
  organizationId: Uuid
  connectionId: string
}

/** The number of the nth account of a benchmark. */
export const accountNumber = (n: number): string => String(100_000_000_000 + n)

/** An organization with a sandbox account of its own that may send `rate` mails a second. */
export async function addTenant(system: System, accountId: string, rate: number): Promise<Tenant> {
  const { organizationId, key } = await createOrganization(system.sql, {
    name: `Tenant ${accountId}`,
    ownerEmail: `owner-${accountId}@letterloom.example`,
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  const account = { accountId, maxSendRate: rate, max24Hour: 1e8 }
  const connectionId = await connectSandbox(system, client, account)
  return { client, organizationId, connectionId }
}

/** Waits until the answer is true. */
export async function waitUntil(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(POLL_MS)
}

/** Processor seconds so far of the programs that this process has started, by name. */
export async function processorSeconds(): Promise<Map<string, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(readProcess))
  const processes = new Map(found.flatMap((each) => (each ? [[each.pid, each] as const] : [])))
  const isOurs = (pid: number): boolean => {
    for (let at = processes.get(pid)?.parent; at !== undefined; at = processes.get(at)?.parent) {
      if (at === process.pid) return true
    }
    return false
  }
  const seconds = new Map<string, number>()
  for (const { pid, name } of processes.values()) {
    if (isOurs(pid)) seconds.set(name, (seconds.get(name) ?? 0) + cpuSecondsOf(pid))
  }
  return seconds
}

/** Undefined: it has ended meanwhile. */
async function readProcess(pid: string) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    const program = words.find((word) => PROGRAMS.includes(word))
    const [, command = ''] = /\((.*)\)/s.exec(stat) ?? []
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { pid: Number(pid), parent, name: program ?? command }
  } catch {
    return undefined
  }
}
