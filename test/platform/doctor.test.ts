import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { addDoctorCommand } from '../../src/main/commands/doctor/doctor-command.ts'
import { examinePostgres } from '../../src/main/commands/doctor/postgres.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { CONTROL_QUEUE, WEBHOOK_QUEUE } from '../../workflows/contract.ts'
import { commandLine } from '../support/command-line.ts'
import { connectAs } from '../support/logins.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, openNamespace, startEngine } from '../support/engine.ts'
import { fakeMailer } from '../support/mailer.ts'

interface Finding {
  check: string
  isOk: boolean
  found: string
  remedy: string
}

const NOWHERE = '127.0.0.1:1'
const DAY_SECONDS = 86_400

let database: TestDatabase
let engine: Engine
/** Milliseconds that the clock of AWS is ahead. */
let awsAheadMs = 0
const aws = createServer((request, response) => {
  response.setHeader('date', new Date(Date.now() + awsAheadMs).toUTCString())
  request.resume().on('end', () => response.writeHead(403).end())
})
beforeAll(async () => {
  database = await createDatabase()
  engine = await startEngine({ databaseUrl: database.url, mailer: fakeMailer() })
  const { namespace } = engine
  await engine.client.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: (30 * DAY_SECONDS) as never } },
  })
  aws.listen(0, '127.0.0.1')
  await once(aws, 'listening')
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
  aws.closeAllConnections()
  aws.close()
})
afterEach(() => {
  awsAheadMs = 0
  vi.restoreAllMocks()
})

const environment = () => ({
  DATABASE_URL: loginUrl(database.url, 'letterloom_worker'),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_NAMESPACE: engine.namespace,
  LETTERLOOM_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  LETTERLOOM_MODE: 'production',
  PUBLIC_URL: 'https://mail.example.com',
  AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
})

async function doctor(env: Record<string, string> = {}, queues: string[] = [CONTROL_QUEUE]) {
  const run = commandLine((program) => addDoctorCommand(program, queues))
  const { code, stdout } = await run(['doctor', '--json'], { env: { ...environment(), ...env } })
  const findings = JSON.parse(stdout) as Finding[]
  // Other tests share the server, and with it the number of connections.
  const problems = findings.filter(({ isOk, check }) => !isOk && check !== 'connections')
  return { code, findings, problems }
}

test('nothing is found on a system that is in order, and the exit status says so', async () => {
  // Its workers have just started.
  await expect.poll(async () => (await doctor()).problems).toEqual([])
  const { code, findings } = await doctor()
  expect(code).toBe(findings.every(({ isOk }) => isOk) ? 0 : 1)
  expect(findings.length).toBeGreaterThan(20)
})

test('it is written for people, too, a line for each check', async () => {
  const run = commandLine((program) => addDoctorCommand(program, [CONTROL_QUEUE]))
  const { stdout } = await run(['doctor'], { env: environment() })
  expect(stdout).toMatch(/^ok +postgres +Postgres answers\.$/m)
})

test.each<[string, Record<string, string>, RegExp]>([
  ['settings', { PORT: 'abc' }, /PORT: "abc" is not a port/],
  ['settings', { LETTERLOOM_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` }, /not random/],
  ['settings', { PUBLIC_URL: 'http://mail.example.com' }, /must begin with https/],
  ['postgres', { DATABASE_URL: `postgres://nobody:x@${NOWHERE}/nothing` }, /./],
  ['temporal', { TEMPORAL_ADDRESS: NOWHERE }, /cannot be reached/],
  ['namespace', { TEMPORAL_NAMESPACE: 'nobodys' }, /There is no namespace nobodys/],
  ['aws', { AWS_ENDPOINT_URL_SESV2: `http://${NOWHERE}` }, /./],
])('a wrong setting is found: %s %o', async (check, env, found) => {
  const { code, problems } = await doctor(env)
  expect(code).toBe(1)
  expect(problems.map((each) => each.check)).toContain(check)
  expect(problems.find((each) => each.check === check)?.found).toMatch(found)
  expect(problems.every(({ remedy }) => remedy.endsWith('.'))).toBe(true)
})

/** The checks that find something while it is broken, and afterwards. */
async function foundWhile({ begin, end }: { begin: () => unknown; end: () => unknown }) {
  const checksOf = ({ problems }: { problems: Finding[] }) => problems.map(({ check }) => check)
  await begin()
  const during = await doctor()
  await end()
  return { code: during.code, during: checksOf(during), after: checksOf(await doctor()) }
}

describe('what was broken on purpose is found, and nothing else', () => {
  test('the clock of AWS differs', async () => {
    const found = await foundWhile({
      begin: () => (awsAheadMs = 600_000),
      end: () => (awsAheadMs = 0),
    })
    expect(found).toEqual({ code: 1, during: ['aws'], after: [] })
  })

  test('the clock of this machine differs from that of Postgres', async () => {
    const now = Date.now.bind(Date)
    const found = await foundWhile({
      begin: () => vi.spyOn(Date, 'now').mockImplementation(() => now() + 20_000),
      end: () => vi.restoreAllMocks(),
    })
    expect(found).toEqual({ code: 1, during: ['clock'], after: [] })
  })

  test('a migration did not run', async () => {
    const [last] = await database.admin<{ number: number; name: string; hash: string }[]>`
      delete from schema_migrations
      where number = (select max(number) from schema_migrations)
      returning number, name, hash`
    const found = await foundWhile({
      begin: () => {},
      end: () => database.admin`
        insert into schema_migrations (number, name, hash)
        values (${last?.number ?? 0}, ${last?.name ?? ''}, ${last?.hash ?? ''})`,
    })
    expect(found).toEqual({ code: 1, during: ['migrations'], after: [] })
  })

  test('a partition is missing', async () => {
    const found = await foundWhile({
      begin: async () => {
        const day = new Date(Date.now() + DAY_SECONDS * 1_000).toISOString().slice(0, 10)
        await database.admin.unsafe(`drop table outbox_${day.replaceAll('-', '')}`)
      },
      end: () => createPartitions(database.sql),
    })
    expect(found).toEqual({ code: 1, during: ['partitions'], after: [] })
  })

  test('no worker polls a queue', async () => {
    const { problems } = await doctor({}, [CONTROL_QUEUE, WEBHOOK_QUEUE])
    expect(problems).toEqual([
      expect.objectContaining({ check: 'workers', found: 'No worker polls webhook.' }),
    ])
  })

  test('the namespace lacks its search attributes, and keeps runs for a day only', async () => {
    const { client, close } = await openNamespace()
    const namespace = `test-${randomUUID()}`
    await client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: DAY_SECONDS as never },
    })
    const checks = async () =>
      (await doctor({ TEMPORAL_NAMESPACE: namespace }, [])).problems.map(({ check }) => check)
    await expect.poll(checks).toEqual(['retention', 'search attributes'])
    await close()
  })

  test('an extension is missing, and a transaction stays open', async () => {
    const broken = await createDatabase()
    const [worker, analyst] = ['doctor', 'analyst'].map((name) =>
      connectAs(broken.url, { name, role: 'letterloom_worker', max: 4 }),
    ) as [ReturnType<typeof connectAs>, ReturnType<typeof connectAs>]
    await broken.admin`drop extension pg_trgm cascade`
    const findings = await analyst.begin(async (tx) => {
      await tx`select 1`
      return examinePostgres(worker, loginUrl(broken.url, 'letterloom_worker'), 0)
    })
    await Promise.all([worker.end(), analyst.end()])
    await broken.drop()
    const problems = findings.filter(({ isOk, check }) => !isOk && check !== 'connections')
    expect(problems.map(({ check }) => check)).toEqual(['extensions', 'transactions'])
    expect(problems[1]?.found).toContain('analyst')
  })
})
