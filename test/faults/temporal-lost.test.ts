import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { RETENTION_ID, SWEEP_ID } from '../../workflows/contract.ts'
import { acceptedBy, connectSender, importPeople, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { loseEverything } from '../support/lost-temporal.ts'
import { batchRow } from '../support/seed.ts'
import { isFull } from '../support/size.ts'
import { startTestSystem } from '../support/system.ts'

const READERS = 300
const IMPORTED = 1_500
const EXECUTIONS = 30
const ERASURES = 20
/** All is finished two minutes after the loss, and executions two minutes after their time. */
const WITHIN_MS = 120_000
const DELAY_MS = 60_000

let system: Awaited<ReturnType<typeof startTestSystem>>
let connection: Connection
let temporal: Client

beforeAll(async () => {
  if (!isFull) return
  system = await startTestSystem({}, 'production')
  connection = await Connection.connect({ address: inject('temporalAddress') })
  temporal = new Client({ connection, namespace: system.namespace })
})
afterAll(async () => {
  if (!isFull) return
  await connection.close()
  await system.stop()
})

async function people({ organizationId }: Sender, count: number, status: string) {
  const ids = Array.from({ length: count }, () => uuidv7())
  await system.sql`
    insert into contacts (organization_id, id, email, email_status)
    select ${organizationId}, id, id || '@example.com', ${status}
    from unnest(${ids}::uuid[]) as id`
  return ids
}

async function erase(sender: Sender): Promise<string[]> {
  const ids = await people(sender, ERASURES, 'unsubscribed')
  const erasures = await Promise.all(
    ids.map((id) => sender.client.post('/v1/contacts/{id}/erase', { params: { path: { id } } })),
  )
  return erasures.map(({ id }) => id)
}

const isThere = (scheduleId: string) =>
  temporal.schedule
    .getHandle(scheduleId)
    .describe()
    .then(
      () => true,
      () => false,
    )

it.skipIf(!isFull)(
  'Temporal loses all its data in the midst of everything: all is finished within two minutes, nobody is left out or mailed twice',
  async () => {
    const { sql } = system
    const sender = await connectSender(system, 100)
    const { organizationId, client } = sender
    const readers = await people(sender, READERS, 'active')
    const batch = await client.post('/v1/batch', {
      body: {
        audienceType: 'contacts',
        contactIds: readers,
        from: SENDER,
        subject: 'Everybody once',
        htmlContent: '<p>Hello</p>',
      },
    })
    const flow = await seedFlow(sql, organizationId, {
      steps: [
        { id: 'rest', type: 'delay', config: { amount: 1, unit: 'minutes' } },
        { id: 'end', type: 'exit', config: { outcome: 'completed', reason: 'done' } },
      ],
    })
    await seedExecutions(sql, flow, readers.slice(0, EXECUTIONS), { isEnqueued: true })
    await until(async () => (await batchRow(sql, batch.id)).sent > 20)
    await importPeople(system, sender, IMPORTED)
    const erasures = await erase(sender)
    const lost = await loseEverything(temporal)
    const lostAt = Date.now()
    expect([...lost]).toEqual(expect.arrayContaining(['sendBatch', 'runFlow', 'importContacts']))

    const finished = async () => {
      const [row] = await sql<Record<string, number>[]>`
        select
          (select count(*) from executions
            where flow_id = ${flow.flowId} and status = 'completed')::int as executions,
          (select count(*) from imports
            where organization_id = ${organizationId} and status = 'completed')::int as imports,
          (select count(*) from erasures
            where id = any(${erasures}::uuid[]) and status = 'completed')::int as erasures,
          (select count(*) from messages
            where organization_id = ${organizationId} and source = 'confirmation'
              and state = 'sent')::int as confirmations`
      const { status, sent } = await batchRow(sql, batch.id)
      return { ...row, status, sent }
    }
    const wanted = {
      imports: 1,
      erasures: ERASURES,
      confirmations: IMPORTED,
      status: 'completed',
      sent: READERS,
    }
    const soon = { timeout: WITHIN_MS, interval: 500 }
    await expect.poll(finished, soon).toMatchObject(wanted)
    const later = { ...soon, timeout: lostAt + DELAY_MS + WITHIN_MS - Date.now() }
    await expect.poll(finished, later).toMatchObject({ ...wanted, executions: EXECUTIONS })
    expect(await Promise.all([isThere(SWEEP_ID), isThere(RETENTION_ID)])).toEqual([true, true])
    const mails = await acceptedBy(system, sender)
    expect(new Set(mails.map(({ recipient }) => recipient)).size).toBe(READERS + IMPORTED)
    expect(mails).toHaveLength(READERS + IMPORTED)
  },
  600_000,
)
