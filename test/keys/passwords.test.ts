import { expect, test } from 'vitest'
import { createPasswords } from '../../src/keys/passwords.ts'

test('a hash is argon2id in PHC form, salted, and verifies its password only', async () => {
  const passwords = createPasswords()
  const [first, second] = [
    await passwords.hash('correct horse'),
    await passwords.hash('correct horse'),
  ]
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(second).not.toBe(first)
  expect(await passwords.verify(first, 'correct horse')).toBe(true)
  expect(await passwords.verify(first, 'correct horsf')).toBe(false)
})

test('passwords that look the same are the same', async () => {
  const passwords = createPasswords()
  const stored = await passwords.hash('caf\u00e9 au lait!')
  expect(await passwords.verify(stored, 'cafe\u0301 au lait!')).toBe(true)
})

test('without a hash no password is right', async () => {
  expect(await createPasswords().verify(null, 'anything at all')).toBe(false)
})

test('sixty-six are taken at once, the others are told to come again, and all is well after', async () => {
  const passwords = createPasswords()
  const results = await Promise.allSettled(
    Array.from({ length: 70 }, () => passwords.verify(null, 'anything at all')),
  )
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(4)
  for (const { reason } of refused) {
    expect(reason).toMatchObject({ code: 'INTERNAL_ERROR', retryAfterSeconds: 10 })
  }
  expect(await passwords.verify(null, 'anything at all')).toBe(false)
})
