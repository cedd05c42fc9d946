import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HOOK_EVENT_TYPES } from '../../src/domain/hooks/hook-event.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { createDrainer, createEndpoint, startHookReceiver } from '../support/hooks.ts'
import { importFile } from '../support/imports.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'

const ROWS = sized(300, 1_000_000)
const FILE = ['email', ...Array.from({ length: ROWS }, (_, n) => `reader-${n}@example.com`)].join(
  '\n',
)

const servers = createServers()
let api: Api
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
})
afterEach(async () => {
  await servers.close()
  await api.sql`delete from hook_endpoints`
  await api.sql`delete from hook_queue`
})
afterAll(() => api.close())

async function countRows(table: 'hook_deliveries' | 'hook_queue', endpointId: string) {
  const [row] = await api.sql<{ rows: number }[]>`
    select count(*)::int as rows from ${api.sql(table)} where endpoint_id = ${endpointId}`
  return row?.rows ?? 0
}

test('an import writes no delivery for an endpoint that wants nothing of it', async () => {
  const { url } = await startHookReceiver(servers)
  const { id } = await createEndpoint(api.alice, url, {
    eventTypes: HOOK_EVENT_TYPES.filter((type) => !type.startsWith('contact.')),
  })
  const imported = await importFile(api, api.alice, FILE)
  expect(imported).toMatchObject({ status: 'completed', created: ROWS })
  expect(await countRows('hook_deliveries', id)).toBe(0)
  expect(await countRows('hook_queue', id)).toBe(0)
})

test('an import writes one delivery for each contact that it changes, and none when the file comes again', async () => {
  const { url } = await startHookReceiver(servers)
  const { id } = await createEndpoint(api.alice, url)
  const file = FILE.replaceAll('@example.com', '@shop.example')
  await importFile(api, api.alice, file)
  expect(await countRows('hook_deliveries', id)).toBe(ROWS)
  await importFile(api, api.alice, file)
  expect(await countRows('hook_deliveries', id)).toBe(ROWS)
  await importFile(api, api.alice, 'email,firstName\nreader-7@shop.example,Ada')
  expect(await countRows('hook_deliveries', id)).toBe(ROWS + 1)
})

test('an event is called before those of an import that were there first', async () => {
  const { url, calls } = await startHookReceiver(servers)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await importFile(api, api.alice, FILE.replaceAll('@example.com', '@club.example'))
  const { id: contactId } = await createContact(api.alice, { email: 'alone@club.example' })
  const [row] = await api.sql<{ shard: number }[]>`
    select shard from hook_endpoints where id = ${id}`
  const drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
  const draining = drainer.start(row?.shard ?? 0)
  try {
    await until(async () => calls.length > 0)
  } finally {
    await draining.stop()
  }
  expect(calls[0]?.event.data.contact.id).toBe(contactId)
})
