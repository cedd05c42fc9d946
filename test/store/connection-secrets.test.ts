import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { listProofs } from '../../src/store/connection-secrets.ts'
import { connect } from '../../src/store/sql.ts'
import { root } from '../house/files.ts'

const folder = join(root, 'migrations')
const files = readdirSync(folder)
  .filter((name) => /^\d{4}_.+\.sql$/.test(name))
  .sort()
const before = files.filter((name) => name < '0015')

test('the migration takes along the secrets that are good, and those only', async () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = connect(inject('databaseUrl'), { name: 'test-admin', max: 1 })
  await admin`create database ${admin(name)}`
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  const sql = connect(url.href, { name: 'test' })
  try {
    await sql`
      create table schema_migrations (number integer primary key, name text not null,
        hash text not null, ran_at timestamptz(3) not null default now())`
    for (const each of before) await sql.unsafe(readFileSync(join(folder, each), 'utf8'))

    const organizationId = uuidv7()
    await sql`insert into organizations (id, name) values (${organizationId}, 'A')`
    const [present, replaced, outdated, other] = [0, 1, 2, 3].map(() => randomBytes(32))
    const add = async (accountId: string, hash?: Buffer, previous?: Buffer, hours = 0) => {
      const id = uuidv7()
      await sql`
        insert into connections (organization_id, id, account_id, region, external_id, secret_hash,
          previous_secret_hash, previous_secret_until)
        values (${organizationId}, ${id}, ${accountId}, 'eu-west-1', ${id}, ${hash ?? null},
          ${previous ?? null}, ${previous ? new Date(Date.now() + hours * 3_600_000).toISOString() : null})`
      return id
    }
    const rotated = await add('111111111111', present, replaced, 5)
    const old = await add('222222222222', other, outdated, -1)
    await add('333333333333')

    await sql.unsafe(readFileSync(join(folder, '0015_connections.sql'), 'utf8'))
    const secrets = await sql`
      select connection_id, hash, valid_until is null as is_present
      from connection_secrets
      order by connection_id, is_present desc`
    expect(secrets).toEqual([
      { connectionId: rotated, hash: present, isPresent: true },
      { connectionId: rotated, hash: replaced, isPresent: false },
      { connectionId: old, hash: other, isPresent: true },
    ])
    const proofs = await listProofs(sql, '111111111111')
    expect(new Set(proofs.map(({ secretHash }) => secretHash.toString('hex')))).toEqual(
      new Set([present, replaced].map((hash) => hash?.toString('hex'))),
    )
    expect(proofs.map(({ id }) => id)).toEqual([rotated, rotated])
  } finally {
    await sql.end()
    await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  }
})
