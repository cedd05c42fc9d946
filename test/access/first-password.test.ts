import { expect, test } from 'vitest'
import { createUser, hasNewPassword, setPassword } from '../../src/core/access/users.ts'
import { createDatabase } from '../support/database.ts'

test('a password that was changed since a time is another one', async () => {
  const { sql, drop } = await createDatabase()
  const email = 'owner@example.com'
  await createUser(sql, { email, name: 'Owner', password: 'the first password of all' })
  const [row] = await sql<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`
  const time = Date.parse(row?.now ?? '') + 1
  expect(await hasNewPassword(sql, 'Owner@example.com ', time)).toBe(false)
  await sql`select pg_sleep(0.01)`
  await setPassword(sql, email, 'a password of their own')
  expect(await hasNewPassword(sql, email, time)).toBe(true)
  // Without a person nothing may be printed as theirs.
  expect(await hasNewPassword(sql, 'nobody@example.com', time)).toBe(true)
  await drop()
})
