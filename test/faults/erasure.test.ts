import { afterAll, beforeAll, expect, it } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/ids.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import type { System } from '../../src/main/system.ts'
import { dumpRows, speakingOf } from '../support/dump.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

const MAILS = sized(15_000, 50_000)
const KILLS = sized(2, 3)

let system: System

beforeAll(async () => {
  system = await startTestSystem()
}, 120_000)
afterAll(() => system.stop())

it(`killed ${KILLS} times on the way an erasure ends, and each mail is emptied once`, async () => {
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Alice Ltd',
    ownerEmail: 'alice@example.com',
    ownerName: 'Alice',
    plan: 'enterprise',
  })
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${system.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  const email = 'zephyrine@erased.example'
  const contact = await call('POST', '/v1/contacts', { email, firstName: 'Zephyrine' })
  const contactId = String(contact['id'])
  const bucket = dayBucket(uuidv7())
  await system.sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, contact_id,
      recipient, subject, state, status)
    select ${organizationId}, ${bucket}, gen_random_uuid(), gen_random_uuid(), 'transactional',
      gen_random_uuid(), ${contactId}, ${email}, 'Dear Zephyrine', 'sent', 'sent'
    from generate_series(1, ${MAILS}::int)`
  const left = async () => {
    const [row] = await system.sql<{ left: number }[]>`
      select count(*) as left from messages where contact_id = ${contactId}`
    return row?.left ?? 0
  }

  const startedAt = performance.now()
  const erasure = await call('POST', `/v1/contacts/${contactId}/erase`)
  let seen = MAILS
  for (let kill = 0; kill < KILLS; kill++) {
    await until(async () => {
      const now = await left()
      const moved = now < seen && now > 0
      seen = now
      return moved
    })
    await killAndWait(system.worker)
    // Something was left to be done by the next one.
    expect(await left()).toBeGreaterThan(0)
  }
  const status = async () => call('GET', `/v1/erasures/${String(erasure['id'])}`)
  await until(async () => (await status())['status'] === 'completed', 180_000)
  const seconds = (performance.now() - startedAt) / 1_000
  process.stdout.write(`${MAILS} mails erased in ${seconds.toFixed(1)} s, ${KILLS} kills\n`)
  expect(await left()).toBe(0)
  expect((await status())['mails']).toBe(MAILS)
  expect(speakingOf(await dumpRows(system.sql), ['zephyrine'])).toEqual([])
}, 300_000)
