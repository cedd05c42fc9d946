import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { addresses, firstPassword } from './dev.ts'
import { whenStopped } from '../programs/lifetime.ts'
import { type Batch, type JobResult, runMainJob } from './main-job.ts'
import { startSystem } from './system.ts'

interface DemoOptions {
  contacts: number
  rate: number
  keep: boolean
}

const BAR = 40

/**
 * Runs the main job on a new system, which is removed afterwards, and prints the figures. Returns
 * true if all figures agree in the database and at the sandbox.
 */
export async function runDemo(
  config: Config,
  options: DemoOptions,
  stopping: AbortSignal,
): Promise<boolean> {
  const out = process.stdout
  const say = (line: string): void => void out.write(`${line}\n`)
  const folder = join(config.dev.folder, `demo-${process.pid}`)
  const stopped = whenStopped(stopping)
  const startedAt = performance.now()
  say('Starting Postgres, Temporal, the provider sandbox, the API and a worker …')
  const system = await startSystem(config, folder, say)
  try {
    say(`… up after ${seconds(startedAt)} s`)
    const job = runMainJob(system, {
      ...options,
      say: (line) => say(`  ${line}`),
      onProgress: progress(out),
    })
    const result = await Promise.race([job, stopped])
    if (!result) throw new Error('stopped before the job was done')
    const good = report(result, say)
    say(`\n  ${seconds(startedAt)} s in all`)
    if (options.keep) {
      const { apiKey: key, organizationId, batch } = result
      say(addresses(system, { key, password: await firstPassword(system, folder) }))
      say(`  The batch     ${system.apiUrl}/console/${organizationId}/batches/${batch.id}`)
      await stopped
    } else {
      say(
        `  Inbox ${system.sandboxUrl}, Temporal UI ${system.temporalUiUrl ?? system.temporalAddress}, API docs ${system.apiUrl}/docs`,
      )
      say('  were there while it ran; `npm run demo -- --keep` leaves them up to look at.')
    }
    return good
  } finally {
    await system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function progress(out: NodeJS.WriteStream): (batch: Batch) => void {
  let shownCount = -1
  return ({ status, totalRecipients, processedRecipients, sent, delivered, opened }) => {
    const share = totalRecipients === 0 ? 0 : processedRecipients / totalRecipients
    const full = Math.round(share * BAR)
    const line = `  [${'█'.repeat(full)}${'·'.repeat(BAR - full)}] ${status} ${sent} sent, ${delivered} delivered, ${opened} opened`
    if (out.isTTY) {
      out.write(`\r\u001b[K${line}${status === 'completed' ? '\n' : ''}`)
    } else if (full !== shownCount) {
      // A file or a pipe gets a line whenever the bar grows, not four a second.
      out.write(`${line}\n`)
    }
    shownCount = full
  }
}

function report({ batch, checks, sendSeconds }: JobResult, say: (line: string) => void): boolean {
  const wrong = checks.filter(({ expected: wanted, actual: found }) => wanted !== found)
  say(`\n  Batch ${batch.id}: ${batch.status} in ${sendSeconds.toFixed(1)} s`)
  for (const name of [
    'sent',
    'delivered',
    'bounced',
    'suppressed',
    'complained',
    'opened',
    'clicked',
  ] as const) {
    say(`    ${name.padEnd(12)}${String(batch[name]).padStart(8)}`)
  }
  say(
    wrong.length === 0
      ? `\n  All ${checks.length} figures add up in the API, the database and at the sandbox.`
      : '\n  These figures do not add up:',
  )
  for (const { what, expected, actual } of wrong)
    say(`    ${what}: wanted ${expected}, found ${actual}`)
  return wrong.length === 0
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1)
