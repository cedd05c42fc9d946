import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRoles } from '../../activities/aws/roles.ts'
import { type Purpose, PURPOSES } from '../../src/domain/accounts/aws-actions.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import { startCredentialKeeper } from '../../src/loops/credential-keeper.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { failure, type Fixture, OPERATOR, startFixture } from '../dev/sandbox-fixture.ts'
import { createDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { newAccountId, REGION, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let sandbox: Fixture
let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let clock = Date.now()

beforeAll(async () => {
  sandbox = await startFixture()
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'roles', role: 'letterloom_worker' })
  vi.stubEnv('AWS_ENDPOINT_URL', sandbox.url)
  vi.stubEnv('AWS_ACCESS_KEY_ID', OPERATOR.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', OPERATOR.secretAccessKey)
})
beforeEach(() => {
  clock = Date.now()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await sql.end()
  await database.drop()
  await sandbox.stop()
})

/** A connected account whose role trusts us. */
async function makeRole(): Promise<IamRole> {
  const accountId = newAccountId()
  const seeded = await seedOrganization(database.sql, { accountId })
  const [row] = await database.sql<{ externalId: string }[]>`
    select external_id from connections where id = ${seeded.connectionId}`
  const externalId = row?.externalId ?? ''
  const name = `letterloom-${externalId.slice(0, 8)}`
  await sandbox.control.putAccount(accountId, {
    region: REGION,
    roles: [{ name, externalId, policyVersion: 1 }],
  })
  return { ...seeded, region: REGION, externalId }
}

const make = () => createRoles({ now: () => clock })
const assumed = async ({ accountId }: IamRole): Promise<number> =>
  (await sandbox.control.calls(accountId))['sts:AssumeRole'] ?? 0
const deny = (role: IamRole, denyAssumeRole: boolean) =>
  sandbox.control.setFaults({ denyAssumeRole }, role.accountId)

describe('credentials', () => {
  test('are fetched once for all who ask at once, and once for each purpose', async () => {
    const role = await makeRole()
    const roles = make()
    await sandbox.control.setFaults({ assumeRoleLatencyMs: 100 }, role.accountId)
    const askers = Array.from({ length: 100 }, (_, n) => PURPOSES[n % PURPOSES.length] as Purpose)
    const got = await Promise.all(askers.map((purpose) => roles.credentials(role, purpose)))
    expect(new Set(got.map(({ accessKeyId }) => accessKeyId)).size).toBe(PURPOSES.length)
    expect(await assumed(role)).toBe(PURPOSES.length)
  })

  test('are renewed five minutes before they end', async () => {
    const role = await makeRole()
    const roles = make()
    const first = await roles.credentials(role, 'send')
    clock += 54 * 60_000
    expect(await roles.credentials(role, 'send')).toBe(first)
    clock += 2 * 60_000
    expect(await roles.credentials(role, 'send')).not.toBe(first)
    expect(await assumed(role)).toBe(2)
  })

  test('a refusal is remembered for half a minute, a throttled call for two seconds', async () => {
    const role = await makeRole()
    const roles = make()
    await deny(role, true)
    for (let n = 0; n < 5; n++) {
      expect((await failure(roles.credentials(role, 'send'))).name).toBe('AccessDenied')
    }
    expect(await assumed(role)).toBe(1)
    await deny(role, false)
    clock += 29_000
    expect((await failure(roles.credentials(role, 'send'))).name).toBe('AccessDenied')
    clock += 2_000
    await roles.credentials(role, 'send')
    expect(await assumed(role)).toBe(2)

    await sandbox.control.setFaults({ assumeRoleThrottlePercent: 100 }, role.accountId)
    expect((await failure(roles.credentials(role, 'read'))).name).toBe('Throttling')
    await sandbox.control.resetFaults(role.accountId)
    clock += 1_000
    expect((await failure(roles.credentials(role, 'read'))).name).toBe('Throttling')
    clock += 1_500
    await roles.credentials(role, 'read')
  })

  test('two connections to one account share nothing', async () => {
    const role = await makeRole()
    const roles = make()
    const stranger = { ...role, connectionId: role.organizationId }
    const [one, other] = await Promise.all([
      roles.credentials(role, 'read'),
      roles.credentials(stranger, 'read'),
    ])
    expect(one.accessKeyId).not.toBe(other.accessKeyId)
  })
})

describe('the keeper', () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} }

  test('drops what belongs to a disconnected account within two seconds, and nothing else', async () => {
    const [gone, stays] = [await makeRole(), await makeRole()]
    const processes = [make(), make()]
    const keepers = processes.map((roles) => startCredentialKeeper({ sql, roles, log }))
    try {
      const held = async (role: IamRole) =>
        Promise.all(processes.map((roles) => roles.credentials(role, 'send')))
      const [before, kept] = [await held(gone), await held(stays)]
      await sleep(1_200)
      expect(await held(gone)).toEqual(before)
      await database.sql`
        update connections set disconnected_at = now() where id = ${gone.connectionId}`
      await until(async () =>
        processes.every((roles) => !roles.connectionIds().includes(gone.connectionId)),
      )
      expect(await held(stays)).toEqual(kept)
    } finally {
      await Promise.all(keepers.map((each) => each.stop()))
    }
  })

  test('drops a refusal that a later verification has overtaken, not an earlier one', async () => {
    const role = await makeRole()
    const roles = createRoles()
    await deny(role, true)
    await failure(roles.credentials(role, 'send'))
    await deny(role, false)
    const keeper = startCredentialKeeper({ sql, roles, log })
    try {
      await sleep(1_200)
      expect((await failure(roles.credentials(role, 'send'))).name).toBe('AccessDenied')
      await database.sql`
        update connections set last_verified_at = clock_timestamp() where id = ${role.connectionId}`
      await until(async () => !roles.connectionIds().includes(role.connectionId))
      await roles.credentials(role, 'send')
      expect(await assumed(role)).toBe(2)
    } finally {
      await keeper.stop()
    }
  })
})

test.each([
  ['eu-central-1', 'sts.eu-central-1.amazonaws.com', 'aws'],
  ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com', 'aws-us-gov'],
  ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn', 'aws-cn'],
])('%s is asked at %s, in partition %s', async (region, hostname, partition) => {
  const asked: { hostname: string; body: string }[] = []
  const role = { ...(await makeRole()), region }
  vi.stubEnv('AWS_ENDPOINT_URL', '')
  const roles = createRoles({
    requestHandler: {
      handle: (request: { hostname: string; body: string }) => {
        asked.push(request)
        return Promise.reject(new Error('taken'))
      },
    },
  })
  await failure(roles.assume(role, 'send'))
  vi.stubEnv('AWS_ENDPOINT_URL', sandbox.url)
  expect(asked[0]?.hostname).toBe(hostname)
  const arn = new URLSearchParams(asked[0]?.body).get('RoleArn')
  expect(arn).toBe(
    `arn:${partition}:iam::${role.accountId}:role/letterloom-${role.externalId.slice(0, 8)}`,
  )
})
