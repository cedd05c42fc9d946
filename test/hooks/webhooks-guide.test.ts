import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOOK_EVENT_TYPES } from '../../src/domain/hooks/hook-event.ts'
import { childEnvironment } from '../../src/config.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { documentOf, operationsOf } from '../support/document.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { createDrainer, createEndpoint } from '../support/hooks.ts'

const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )

let api: Api
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letterloom-receiver-'))
  api = await startApi({ allowsHttpHooks: true })
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})

test('the receiver of the guide takes genuine events once, and no others', async () => {
  const [source = ''] = blocksOf('js')
  await writeFile(join(folder, 'receiver.mjs'), source)
  const port = await freePort()
  const { id, secret } = await createEndpoint(api.alice, `http://127.0.0.1:${port}/`, {
    eventTypes: ['contact.created'],
  })
  const receiver = endWithUs(
    spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: childEnvironment({ WEBHOOK_SECRET: secret, PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  try {
    let output = ''
    receiver.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
    const deliveries = async () =>
      (await api.alice.get(`/v1/webhook-endpoints/${id}/deliveries`)).body.data
    const answered = (init?: RequestInit) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}', ...init }).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(() => answered(), { timeout: 20_000 }).toBe(401)

    await createContact(api.alice, { email: 'ada@example.com' })
    await drainer.drainOf(id)
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({ state: 'delivered', tries: [{ status: 204 }] })
    await api.alice.post(`/v1/webhook-endpoints/${id}/deliveries/${delivery.id}/replay`)
    await drainer.drainOf(id)
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
    await expect.poll(() => output.match(/^contact\.created .*ada@example\.com/gm)?.length).toBe(1)

    await api.alice.post(`/v1/webhook-endpoints/${id}/rotate-secret`)
    await api.sql`update hook_endpoints set previous_secret_until = now() where id = ${id}`
    await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
    await drainer.drainOf(id)
    expect((await deliveries())[0]).toMatchObject({ state: 'failed', tries: [{ status: 401 }] })
  } finally {
    receiver.kill()
  }
})

test('the guide has every type of event, and no other', () => {
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
  const types = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, type = '']) => type),
  )
  expect(types.toSorted()).toEqual(HOOK_EVENT_TYPES.toSorted())
})

test('every call of the guide is an operation', async () => {
  const known = operationsOf(documentOf(api.app)).map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, '$')}`,
  )
  const calls = blocksOf('sh')
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('api '))
    .map((line) => {
      const [, path = ''] = line.match(/^api (\S+)/) ?? []
      const [, method] = line.match(/ -X ([A-Z]+)/) ?? []
      const fallback = line.includes(' -d ') ? 'POST' : 'GET'
      return `${method ?? fallback} ${path.replaceAll(/\$\w+/g, '$')}`
    })
  expect(calls.length).toBeGreaterThan(5)
  expect(calls.filter((call) => !known.includes(call))).toEqual([])
})

/** A port that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
