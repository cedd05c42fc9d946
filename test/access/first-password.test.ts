import { expect, test } from 'vitest'
import { createUser, hasPassword, setPassword } from '../../src/core/access/users.ts'
import { createDatabase } from '../support/database.ts'

test('a password that was changed is not the first one any more', async () => {
  const { sql, drop } = await createDatabase()
  const email = 'owner@example.com'
  const first = 'the first password of all'
  await createUser(sql, { email, name: 'Owner', password: first })
  expect(await hasPassword(sql, 'Owner@example.com ', first)).toBe(true)
  await setPassword(sql, email, 'a password of their own')
  expect(await hasPassword(sql, email, first)).toBe(false)
  // Without a person nothing may be printed as theirs.
  expect(await hasPassword(sql, 'nobody@example.com', first)).toBe(false)
  await drop()
})
