import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConsolePolicies } from '../../activities/aws/console-policy.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { createVerifier } from '../../activities/aws/verifier.ts'
import { dailyChecks } from '../../activities/accounts/daily-checks.ts'
import { type HealthFixture, startHealthFixture } from '../support/health.ts'

let fixture: HealthFixture

beforeAll(async () => {
  fixture = await startHealthFixture()
})
afterAll(() => fixture.close())

function sweep() {
  const roles = createRoles()
  const consolePolicies = createConsolePolicies(roles)
  const verifier = createVerifier(roles)
  return fixture.activities({
    daily: dailyChecks({ sql: fixture.sql, verifier, consolePolicies, roles }),
  })
}

const stateOf = async ({ connectionId }: { connectionId: string }) => {
  const [row] = await fixture.sql<
    { isVerified: boolean; isRecent: boolean; version: number | null }[]
  >`
    select c.is_verified, c.last_verified_at > now() - interval '1 minute' as is_recent, p.version
    from connections c
    left join console_policies p on p.connection_id = c.id
    where c.id = ${connectionId}`
  return row
}
const age = ({ connectionId }: { connectionId: string }, verified: string) => fixture.sql`
  update connections
  set last_verified_at = now() - ${verified}::interval
  where id = ${connectionId}`

it('one of many sweeps in a day reads the policy’s version, and none verifies an account twice a day', async () => {
  const account = await fixture.connect()
  await age(account, '23 hours')
  const { checkAccount } = sweep()
  for (let hour = 0; hour < 3; hour++) expect(await checkAccount(account)).toBe('checked')
  expect(await stateOf(account)).toEqual({ isVerified: true, isRecent: false, version: 1 })
  const calls = await fixture.control.calls(account.accountId)
  expect(calls['iam:GetRolePolicy']).toBe(1)
  expect(calls['ses:GetAccount']).toBe(3)

  // The next day.
  await fixture.sql`
    update console_policies
    set checked_at = checked_at - interval '25 hours', probed_at = probed_at - interval '25 hours'
    where connection_id = ${account.connectionId}`
  await checkAccount(account)
  expect((await fixture.control.calls(account.accountId))['iam:GetRolePolicy']).toBe(2)
})

it('an account that was verified a day ago is verified again, and one whose role is gone no longer is', async () => {
  const [well, gone] = [await fixture.connect(), await fixture.connect()]
  await Promise.all([age(well, '25 hours'), age(gone, '25 hours')])
  await fixture.control.setFaults({ denyAssumeRole: true }, gone.accountId)
  const { checkAccount } = sweep()
  expect(await checkAccount(well)).toBe('checked')
  expect(await checkAccount(gone)).toBe('unanswered')
  expect(await stateOf(well)).toMatchObject({ isVerified: true, isRecent: true })
  expect(await stateOf(gone)).toMatchObject({ isVerified: false, isRecent: true })
})
