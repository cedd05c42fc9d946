import { pino } from 'pino'
import { createHealthActivities, createNoticeActivities } from '../../activities/index.ts'
import type { HealthDeps } from '../../activities/accounts/account-health.ts'
import { createHealthReader } from '../../activities/aws/health.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createOperatorSessions } from '../../activities/aws/operator.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { Mailer } from '../../activities/mailer.ts'
import type { AccountUpdate } from '../../tools/sandbox/accounts.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { OPERATOR_ACCOUNT } from '../../tools/sandbox/credentials.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { roleArn } from '../../src/domain/accounts/iam-role.ts'
import type { HealthStatus } from '../../src/domain/accounts/health.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { addMember } from './people.ts'
import { REGION, seedOrganization } from './seed.ts'
import { connectAs } from './logins.ts'

export const NOTICES_FROM = 'Letterloom <notices@letterloom.example>'
export type HealthFixture = Awaited<ReturnType<typeof startHealthFixture>>

/** A healthy account in the sandbox. */
export const WELL: AccountUpdate = {
  productionAccess: true,
  sendingEnabled: true,
  enforcementStatus: 'HEALTHY',
  maxSendRate: 14,
  max24Hour: 50_000,
  sentLast24Hours: 5_000,
  reputation: { bounceRate: 0.01, complaintRate: 0.0002 },
}

/**
 * The sandbox, and the activities of sweep and notices with the real SDK, on their own database or
 * on that of an API.
 */
export async function startHealthFixture(sharedDatabase?: { databaseUrl: string; sql: Sql }) {
  const database: Pick<TestDatabase, 'url' | 'sql' | 'drop'> = sharedDatabase
    ? { url: sharedDatabase.databaseUrl, sql: sharedDatabase.sql, drop: async () => {} }
    : await createDatabase()
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    log: pino({ level: 'silent' }),
  })
  process.env['AWS_ENDPOINT_URL'] = sandbox.url
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  const control = sandboxControl(sandbox.url)
  await control.putAccount(OPERATOR_ACCOUNT, {
    region: REGION,
    maxSendRate: 100,
    max24Hour: 100_000,
    productionAccess: true,
    identities: [{ identity: 'letterloom.example', verified: true }],
  })
  const sql = connectAs(database.url, { name: 'health', role: 'letterloom_worker', max: 12 })
  const claimSql = connectAs(database.url, { name: 'claim', role: 'letterloom_worker', max: 2 })
  const roles = createRoles()
  const operator = createMailer({ roles: createOperatorSessions(), callMs: 2_000 })
  const reader = createHealthReader(roles)
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  let time = Date.now()
  const links = {
    keyring: parseKeyring(newKeyringText()),
    publicUrl: 'https://mail.example.com',
  }

  return {
    links,
    databaseUrl: database.url,
    sql: database.sql,
    control,
    reader,
    warnings,
    /** The activities' clock, which moves only here. */
    pass: (ms: number): number => (time += ms),
    setTime: (ms: number): number => (time = ms),

    activities: (changes: Partial<HealthDeps> = {}) =>
      createHealthActivities({
        sql,
        health: reader,
        daily: [],
        now: () => time,
        log,
        ...changes,
      }),

    notices: ({
      mailer = operator,
      hasSender = true,
    }: {
      mailer?: Mailer
      hasSender?: boolean
    } = {}) =>
      createNoticeActivities({
        sql,
        claimSql,
        links,
        sender: hasSender ? { from: NOTICES_FROM, region: REGION, mailer } : undefined,
        timings: { ...SHORT_TIMINGS, leaseMs: 1_000 },
        now: () => time,
        log,
      }),

    /** An organization with `owners`, and one connected account of the sandbox. */
    connect: async (account: AccountUpdate = {}, { owners = 1 } = {}) => {
      const { organizationId, connectionId, accountId } = await seedOrganization(database.sql)
      const people = []
      for (let count = 0; count < owners; count++) {
        people.push(await addMember(database.sql, organizationId, 'owner'))
      }
      const externalId = await externalIdOf(database.sql, connectionId)
      const role = roleArn(accountId, REGION, externalId).replace(/^.*\//, '')
      const put = (update: AccountUpdate) =>
        control.putAccount(accountId, { region: REGION, ...update })
      await put({ ...WELL, roles: [{ name: role, externalId, policyVersion: 1 }], ...account })
      return { organizationId, connectionId, accountId, externalId, owners: people, put }
    },

    close: async (): Promise<void> => {
      await operator.close()
      await sandbox.stop()
      await Promise.all([sql.end(), claimSql.end()])
      await database.drop()
    },
  }
}

async function externalIdOf(sql: Sql, connectionId: string): Promise<string> {
  const [row] = await sql<{ externalId: string }[]>`
    select external_id from connections where id = ${connectionId}`
  return row?.externalId ?? ''
}

/** Figures of the sandbox for each verdict. */
export const FIGURES: Record<Exclude<HealthStatus, 'unknown'>, AccountUpdate> = {
  healthy: { reputation: { bounceRate: 0.01, complaintRate: 0 } },
  at_risk: { reputation: { bounceRate: 0.06, complaintRate: 0 } },
  in_danger: { reputation: { bounceRate: 0.12, complaintRate: 0 } },
}
