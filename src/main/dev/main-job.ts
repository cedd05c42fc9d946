import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type Schemas } from '../../client/index.ts'
import { sandboxControl } from '../../../tools/sandbox/control.ts'
import * as batchRuns from '../../store/batches/batch-runs.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import { DEFAULT_TEMPLATE } from './default-template.ts'
import { createOrganization } from '../../core/access/organizations.ts'
import { connectSandbox, type Customer, SENDER } from './system.ts'

const ACCOUNT_ID = '444455556666'
const PAGE = 1_000
const POLL_MS = 250
const BOUNCES = 0.02
const COMPLAINTS = 0.005
const SUPPRESSED = 0.005

export interface JobOptions {
  contacts: number
  rate: number
  /** Concurrent jobs each have their own account. */
  accountId?: string
  onProgress?: (batch: Batch) => void
  say?: (line: string) => void
}

export type Batch = Schemas['Batch']

export interface JobResult {
  apiKey: string
  organizationId: string
  batch: Batch
  sendSeconds: number
  /** Compared figures, with the expected and the actual value. */
  checks: { what: string; expected: number; actual: number }[]
}

/**
 * Runs the main job as a customer does: connects an account, imports contacts, creates a template,
 * sends one batch, receives its events. Everything goes through the API. Only AWS is the sandbox.
 */
export async function runMainJob(system: Customer, options: JobOptions): Promise<JobResult> {
  const say = options.say ?? (() => {})
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Letterloom Demo',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, {
    accountId: options.accountId ?? ACCOUNT_ID,
    maxSendRate: options.rate,
    max24Hour: 100_000_000,
  })
  say('connected the sandbox account')

  const audience = people(options.contacts)
  for (let at = 0; at < audience.length; at += PAGE) {
    const contacts = audience.slice(at, at + PAGE)
    const { failed } = await client.post('/v1/contacts/batch', { body: { contacts } })
    if (failed > 0) throw new Error(`${failed} contacts were refused`)
  }
  say(`imported ${audience.length} contacts`)

  const template = await client.post('/v1/templates', { body: DEFAULT_TEMPLATE })
  say(`published the template "${DEFAULT_TEMPLATE.name}"`)
  const startedAt = performance.now()
  let batch: Batch = await client.post('/v1/batch', {
    body: {
      name: 'November news',
      audienceType: 'all',
      templateId: template.id,
      from: SENDER,
      fromName: 'Letterloom News',
    },
  })
  while (!['completed', 'failed', 'cancelled'].includes(batch.status)) {
    await sleep(POLL_MS)
    batch = await findBatch(client, batch.id)
    options.onProgress?.(batch)
  }
  const sendSeconds = (performance.now() - startedAt) / 1000
  if (batch.status !== 'completed')
    throw new Error(`the batch ${batch.status}: ${batch.failedReason}`)

  say('waiting for the last delivery events')
  await eventsApplied(system, batch.id)
  batch = await findBatch(client, batch.id)
  const checks = await check(system, organizationId, batch, audience)
  return { apiKey: key, organizationId, batch, sendSeconds, checks }
}

const findBatch = (client: Client, id: string): Promise<Batch> =>
  client.get('/v1/batch/{id}', { params: { path: { id } } })

interface Person {
  email: string
  firstName: string
  company: string
  properties: Record<string, string>
}

const FIRST_NAMES = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Niklaus', 'Frances']
const COMPANIES = ['Analytical Engines', 'Compilers & Co', 'Shortest Path', 'Spanning Trees']

/** Returns made-up people. Some have simulator addresses, so that some mail fails. */
function people(count: number): Person[] {
  const at = (share: number): number => Math.floor(count * share)
  const simulated = [
    ...Array.from({ length: at(BOUNCES) }, (_, n) => `bounce+${n}`),
    ...Array.from({ length: at(COMPLAINTS) }, (_, n) => `complaint+${n}`),
    ...Array.from({ length: at(SUPPRESSED) }, (_, n) => `suppressionlist+${n}`),
  ]
  return Array.from({ length: count }, (_, n) => {
    const box = simulated[n]
    return {
      email: box ? `${box}@simulator.amazonses.com` : `reader-${n}@example.com`,
      firstName: FIRST_NAMES[n % FIRST_NAMES.length] ?? 'Ada',
      company: COMPANIES[n % COMPANIES.length] ?? 'Analytical Engines',
      properties: { plan: n % 3 === 0 ? 'pro' : 'free' },
    }
  })
}

const EVENTS_MS = 120_000

/** Waits until the sandbox has reported everything and all reports are applied. */
async function eventsApplied(system: Customer, batchId: string): Promise<void> {
  const sandbox = sandboxControl(system.sandboxUrl)
  const until = Date.now() + EVENTS_MS
  for (;;) {
    const { pending } = await sandbox.eventStats()
    const waiting = await inboundEvents.countWaiting(system.sql)
    if (pending === 0 && waiting === 0) return
    if (Date.now() > until) {
      throw new Error(`batch ${batchId}: ${pending} events at the sandbox, ${waiting} unapplied`)
    }
    await sleep(POLL_MS)
  }
}

async function check(
  system: Customer,
  organizationId: string,
  batch: Batch,
  audience: Person[],
): Promise<JobResult['checks']> {
  const at = (box: string): number => audience.filter(({ email }) => email.startsWith(box)).length
  const counts = await sandboxControl(system.sandboxUrl).counts({ batch: batch.id })
  const rows = await batchRuns.audit(system.sql, organizationId, batch.id)
  const total = audience.length
  const bounces = at('bounce+')
  const suppressed = at('suppressionlist+')
  return [
    { what: 'recipients frozen', expected: total, actual: batch.totalRecipients },
    { what: 'sent, by the API', expected: total, actual: batch.sent },
    { what: 'sent, by the ledger', expected: total, actual: rows.sent },
    { what: 'rows of the ledger', expected: total, actual: rows.rows },
    { what: 'different message ids', expected: total, actual: rows.messageIds },
    { what: 'accepted by the sandbox', expected: total, actual: counts.accepted },
    { what: 'different recipients there', expected: total, actual: counts.unique },
    { what: 'mailed twice', expected: 0, actual: counts.duplicates },
    {
      what: 'failed, skipped or unknown',
      expected: 0,
      actual: batch.failed + batch.skipped + batch.unknown,
    },
    { what: 'bounced', expected: bounces, actual: batch.bounced },
    { what: 'suppressed', expected: suppressed, actual: batch.suppressed },
    { what: 'complained', expected: at('complaint+'), actual: batch.complained },
    { what: 'delivered', expected: total - bounces - suppressed, actual: batch.delivered },
    { what: 'opened, by the ledger', expected: batch.opened, actual: rows.opened },
  ]
}
