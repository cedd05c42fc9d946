import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { POLICY_VERSION } from '../../src/domain/accounts/aws-actions.ts'
import { addDoctorCommand } from '../../src/main/commands/doctor/doctor-command.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { commandLine } from '../support/command-line.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { ACCOUNT, type Fixture, OPERATOR, REGION, startFixture } from './sandbox-fixture.ts'

interface Finding {
  check: string
  isOk: boolean
  found: string
  remedy: string
}

const EXTERNAL_ID = '1a2b3c4d-0000-4000-8000-000000000000'

let sandbox: Fixture
let database: TestDatabase
let connectionId: string
beforeAll(async () => {
  sandbox = await startFixture()
  database = await createDatabase()
  ;({ connectionId } = await seedOrganization(database.sql, { accountId: ACCOUNT }))
  await database.sql`update connections set external_id = ${EXTERNAL_ID}`
})
afterAll(async () => {
  await sandbox.stop()
  await database.drop()
})
beforeEach(() => putAccount())

const putAccount = (isVerified = true) =>
  sandbox.control.putAccount(ACCOUNT, {
    region: REGION,
    maxSendRate: 14,
    max24Hour: 50_000,
    productionAccess: true,
    identities: [{ identity: 'letterloom.example', verified: isVerified }],
    roles: [
      { name: 'letterloom-1a2b3c4d', externalId: EXTERNAL_ID, policyVersion: POLICY_VERSION },
    ],
  })

/** Findings about the account only. */
async function doctor(account: string): Promise<Finding[]> {
  const run = commandLine((program) => addDoctorCommand(program, []))
  const { stdout } = await run(['doctor', '--json', '--account', account], {
    env: {
      DATABASE_URL: loginUrl(database.url, 'letterloom_worker'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      LETTERLOOM_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AWS_ENDPOINT_URL: sandbox.url,
      AWS_ACCESS_KEY_ID: OPERATOR.accessKeyId,
      AWS_SECRET_ACCESS_KEY: OPERATOR.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  })
  const findings = JSON.parse(stdout) as Finding[]
  return findings.filter(({ check }) => ['account', 'sending'].includes(check))
}

test('of an account that works it says what SES allows, and sends a mail to the simulator', async () => {
  const before = await sandbox.control.counts()
  expect(await doctor(connectionId)).toEqual([
    {
      check: 'account',
      isOk: true,
      found: expect.stringMatching(
        /^SES allows 14 mails a second and 50000 in 24 hours, of which \d+ are sent\.$/,
      ),
      remedy: '',
    },
    {
      check: 'sending',
      isOk: true,
      found: 'SES accepted a mail to the simulator.',
      remedy: '',
    },
  ])
  const after = await sandbox.control.counts()
  expect(after.accepted).toBe(before.accepted + 1)
})

test.each<[string, () => Promise<unknown>, string, RegExp]>([
  [
    'a role that may not be assumed',
    () => sandbox.control.setFaults({ denyAssumeRole: true }, ACCOUNT),
    'account',
    /^role: role_refused\.$/,
  ],
  ['no identity that may send', () => putAccount(false), 'sending', /No identity/],
])('%s is found, and nothing is sent', async (_name, breakIt, check, found) => {
  const before = await sandbox.control.counts()
  await breakIt()
  const findings = await doctor(connectionId)
  await sandbox.control.resetFaults(ACCOUNT)
  const problems = findings.filter(({ isOk }) => !isOk)
  expect(problems.map((each) => each.check)).toEqual([check])
  expect(problems[0]?.found).toMatch(found)
  expect(problems[0]?.remedy).toMatch(/\.$/)
  expect(await sandbox.control.counts()).toEqual(before)
})

test('a connection that is not there is said to be missing', async () => {
  const findings = await doctor('0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11')
  expect(findings.map(({ check, isOk }) => [check, isOk])).toEqual([['account', false]])
  const wrong = await doctor('nonsense')
  expect(wrong.map(({ check, isOk }) => [check, isOk])).toEqual([['account', false]])
})
