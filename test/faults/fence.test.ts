import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { Mail, Mailer } from '../../activities/mailer.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const REGION = 'eu-west-1'
const ACCOUNT = '111122223333'
const EXTERNAL_ID = 'fence-external-id'

let database: TestDatabase
let sandbox: Awaited<ReturnType<typeof startSandbox>>
let proxy: Server
let mailer: Mailer
/** What the network does to bytes on their way to the provider. */
let holdMs = 0
const sockets = new Set<Socket>()

beforeAll(async () => {
  database = await createDatabase()
  sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    log: { level: 'silent' } as never,
  })
  proxy = createServer((client) => {
    const upstream = connect(sandbox.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    // What was sent stays on its way, also when the sender has long hung up.
    client.on('data', (bytes) => {
      const late = holdMs
      if (late === 0) upstream.write(bytes)
      else setTimeout(() => upstream.write(bytes), late)
    })
    upstream.on('data', (bytes) => client.write(bytes))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  process.env['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${port}`
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  await sandboxControl(sandbox.url).putAccount(ACCOUNT, {
    region: REGION,
    maxSendRate: 100,
    max24Hour: 1_000,
    productionAccess: true,
    sendingEnabled: true,
    identities: [{ identity: 'example.com', verified: true }],
    roles: [
      {
        name: `letterloom-${EXTERNAL_ID.slice(0, 8)}`,
        externalId: EXTERNAL_ID,
        policyVersion: 1,
      },
    ],
  })
  mailer = createMailer({ roles: createRoles(), callMs: SHORT_TIMINGS.callMs })
})
afterAll(async () => {
  await mailer.close()
  for (const socket of sockets) socket.destroy()
  proxy.close()
  await sandbox.stop()
  await database.drop()
})

const mail: Mail = {
  from: 'news@example.com',
  replyTo: null,
  to: 'somebody@example.org',
  subject: 'News',
  html: null,
  text: 'News',
  headers: [],
  tags: [],
}

const send = () =>
  mailer.send(mail, {
    iamRole: {
      organizationId: 'o',
      connectionId: 'c',
      accountId: ACCOUNT,
      region: REGION,
      externalId: EXTERNAL_ID,
    },
    signedAt: new Date(),
    // The first call fetches credentials, too.
    beginBy: performance.now() + 30_000,
  })

const accepted = async () =>
  (await sandboxControl(sandbox.url).counts({ account: ACCOUNT })).accepted

/** Sends while the network holds the request longer than a signature lives, and waits it out. */
async function sendLate(): Promise<string> {
  holdMs = SHORT_TIMINGS.signatureMs + 1_000
  const outcome = await send()
  holdMs = 0
  await sleep(SHORT_TIMINGS.signatureMs + 1_500 - SHORT_TIMINGS.callMs)
  return outcome.kind
}

it('a call that the network held up longer than its signature lives is refused by the provider', async () => {
  expect((await send()).kind).toBe('sent')
  expect(await accepted()).toBe(1)

  // Nothing else keeps such a call from being accepted: with old signatures allowed, it is.
  await sandboxControl(sandbox.url).setSettings({ signatureMaxAgeMs: 300_000 })
  expect(await sendLate()).toBe('unknown')
  await expect.poll(accepted).toBe(2)

  await sandboxControl(sandbox.url).setSettings({ signatureMaxAgeMs: SHORT_TIMINGS.signatureMs })
  expect(await sendLate()).toBe('unknown')
  expect(await accepted()).toBe(2)
})
