import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningProgram, startProgram } from '../../src/main/dev/programs.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { openNamespace } from '../support/engine.ts'
import { createEndpoint, startHookReceiver, verifyCall } from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'
import { killAndWait } from '../support/system.ts'

const keys = newKeyringText()
const servers = createServers()
let api: Api
let folder: string
let worker: RunningProgram

beforeAll(async () => {
  api = await startApi({ keyring: parseKeyring(keys), allowsHttpHooks: true })
  folder = await mkdtemp(join(tmpdir(), 'letterloom-hooks-'))
  const temporal = await openNamespace()
  const { namespace } = temporal.client.options
  await temporal.close()
  worker = startProgram({
    command: 'worker',
    env: {
      DATABASE_URL: loginUrl(api.databaseUrl, 'letterloom_worker'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: namespace,
      LETTERLOOM_KEYS: keys,
      LETTERLOOM_MODE: 'development',
      LETTERLOOM_TIMINGS: 'short',
      // The receiver is on this machine.
      NET_ALLOW_PRIVATE: '127.0.0.0/8',
      PUBLIC_URL: 'https://mail.example.com',
      INTERNAL_PORT: '0',
    },
    logFile: join(folder, 'worker.log'),
    say: () => {},
  })
})
afterAll(async () => {
  await worker.stop()
  await servers.close()
  await api.close()
  await rm(folder, { recursive: true })
})

/** A program that was killed takes its time to start on a busy machine. */
const PATIENTLY = { timeout: 180_000, interval: 250 }
const KILLS = sized(2, 20)
const CONTACTS = sized(20, 200)

it('every event arrives although workers are killed and a receiver breaks off, and no other', async () => {
  const good = await startHookReceiver(servers)
  const breaking = await startHookReceiver(servers, () => (Math.random() < 0.3 ? 503 : 204))
  const eventTypes = ['contact.created', 'contact.deleted']
  const endpoints = [
    { receiver: good, ...(await createEndpoint(api.alice, good.url, { eventTypes })) },
    { receiver: breaking, ...(await createEndpoint(api.alice, breaking.url, { eventTypes })) },
  ]
  const created = new Set<string>()
  const write = async (round: number): Promise<void> => {
    for (let n = 0; n < CONTACTS; n++) {
      const email = `reader-${round}-${n}@example.com`
      created.add((await createContact(api.alice, { email })).id)
      // Refused, and rolled back: nothing is told of it.
      await api.alice.post('/v1/contacts', { email })
    }
  }
  for (let round = 0; round < KILLS; round++) {
    const calls = good.calls.length
    await write(round)
    await expect.poll(() => good.calls.length, PATIENTLY).toBeGreaterThan(calls)
    await killAndWait(worker)
  }
  await write(KILLS)

  const arrived = ({ calls }: typeof good): Set<string> =>
    new Set(calls.map(({ event }) => String(event.data.contact.id)))
  const makeDue = () => api.sql`
    update hook_queue set due_at = now() where due_at > now() + interval '46 seconds'`
  for (const { receiver, secret } of endpoints) {
    await expect
      .poll(async () => {
        await makeDue()
        return arrived(receiver).size
      }, PATIENTLY)
      .toBe(created.size)
    expect(arrived(receiver)).toEqual(created)
    for (const call of receiver.calls) verifyCall(secret, call)
    // One fact has one id, however often it is told.
    const ids = new Map(receiver.calls.map(({ event }) => [event.data.contact.id, event.id]))
    expect(
      receiver.calls.filter(({ event }) => ids.get(event.data.contact.id) !== event.id),
    ).toEqual([])
  }
  const repeated = good.calls.length - created.size
  expect(repeated).toBeLessThanOrEqual(KILLS * 10)

  const log = await readFile(join(folder, 'worker.log'), 'utf8')
  for (const secret of ['reader-0-0@example.com', ...endpoints.map((each) => each.secret)]) {
    expect(log).not.toContain(secret)
  }
})
