import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { listProofs } from '../../src/store/accounts/connection-secrets.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

test('the proofs of an account are its secrets that are good, and those only', async () => {
  const { sql } = database
  const organizationId = uuidv7()
  await sql`insert into organizations (id, name) values (${organizationId}, 'A')`
  const [present, replaced, outdated, other] = [0, 1, 2, 3].map(() => randomBytes(32))
  const add = async (accountId: string, hash?: Buffer, previous?: Buffer, hours = 0) => {
    const id = uuidv7()
    await sql`
      insert into connections (organization_id, id, account_id, region, external_id)
      values (${organizationId}, ${id}, ${accountId}, 'eu-west-1', ${id})`
    for (const [each, until] of [
      [hash, null],
      [previous, inHours(hours)],
    ] as const) {
      if (each === undefined) continue
      await sql`
        insert into connection_secrets (organization_id, connection_id, hash, valid_until)
        values (${organizationId}, ${id}, ${each}, ${until})`
    }
    return id
  }
  const rotated = await add('111111111111', present, replaced, 5)
  const old = await add('222222222222', other, outdated, -1)
  await add('333333333333')

  const proofs = await listProofs(sql, '111111111111')
  expect(new Set(proofs.map(({ secretHash }) => secretHash.toString('hex')))).toEqual(
    new Set([present, replaced].map((hash) => hash?.toString('hex'))),
  )
  expect(proofs.map(({ id }) => id)).toEqual([rotated, rotated])
  expect(await listProofs(sql, '222222222222')).toMatchObject([{ id: old, secretHash: other }])
  expect(await listProofs(sql, '333333333333')).toEqual([])

  // Of one connection one is the present secret.
  await expect(
    sql`
      insert into connection_secrets (organization_id, connection_id, hash)
      values (${organizationId}, ${rotated}, ${randomBytes(32)})`,
  ).rejects.toMatchObject({ code: '23505' })
})
