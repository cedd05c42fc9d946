import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { migrate, pendingMigrations } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'

const DAY_MS = 86_400_000

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let owner: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  owner = ownerOf(database.url)
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

const ownerOf = (url: string): Sql =>
  connect(loginUrl(url, 'letterloom_owner'), { name: 'owner', max: 2 })

/** An id of exactly this millisecond; `uuidv7` itself never goes back. */
const idAt = (time: number): string => {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`
}

const partitions = async (table: string) => {
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name
    from pg_inherits
    where inhparent = ${table}::regclass
    order by 1`
  return rows.map(({ name }) => name)
}

describe('partitions', () => {
  it('are there from yesterday to a week ahead after a migration', async () => {
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    for (const table of [
      'messages',
      'message_bodies',
      'delivery_events',
      'inbound_events',
      'outbox',
    ]) {
      const names = await partitions(table)
      expect(names).toHaveLength(9)
      expect(names).toContain(`${table}_${today}`)
    }
  })

  it('are made once by many at the same time', async () => {
    const later = Date.now() + 20 * DAY_MS
    await Promise.all(Array.from({ length: 6 }, () => createPartitions(sql, later)))
    expect(await partitions('messages')).toHaveLength(18)
  })

  it('take the mail of the last and the first millisecond of a day', async () => {
    const seeded = await seedOrganization(sql)
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS
    for (const at of [midnight - 1, midnight, midnight + DAY_MS - 1, midnight + DAY_MS]) {
      const made = await enqueue(sql, {
        ...seeded,
        id: idAt(at),
        source: 'transactional',
        recipient: 'somebody@example.com',
        from: 'shop@example.com',
        subject: 'Receipt',
        text: 'Thanks',
      })
      expect(made).toBe(true)
    }
    expect(
      await sql`select from messages where organization_id = ${seeded.organizationId}`,
    ).toHaveLength(4)
  })
})

describe('migrations', () => {
  it('run once, and a second start finds nothing to do', async () => {
    expect(await migrate(owner)).toEqual([])
  })

  it.each([
    [
      'a file of another name',
      `update schema_migrations set name = '0001_foundation.sql' where number = 1`,
      '0001_foundation.sql',
    ],
    [
      'another file of the same name, as of one that was edited after it ran',
      `update schema_migrations set hash = 'other' where number = 1`,
      '0001_db.sql',
    ],
    [
      'another file behind one that has not run',
      `delete from schema_migrations where number = 2;
        update schema_migrations set hash = 'other' where number = 3`,
      '0003_accounts.sql',
    ],
  ])('refuse the database of %s, and change nothing of it', async (_, change, name) => {
    const { url, drop } = await createDatabase()
    const sql = ownerOf(url)
    await sql.unsafe(change)
    const before = await sql`select * from schema_migrations`
    const refused = migrate(sql)
    await expect(refused).rejects.toThrow(`its ${name} is not the file of this version`)
    await expect(refused).rejects.toThrow('`npm start -- --fresh` makes the database')
    expect(await sql`select * from schema_migrations`).toEqual(before)
    await sql.end()
    await drop()
  })

  it('that have not run under their names are pending', async () => {
    await owner`update schema_migrations set name = '0001_foundation.sql' where number = 1`
    expect(await pendingMigrations(sql)).toEqual(['0001_db.sql'])
    await owner`update schema_migrations set name = '0001_db.sql' where number = 1`
  })

  it('of a later release are left alone', async () => {
    await owner`
      insert into schema_migrations (number, name, hash) values (9999, '9999_later.sql', 'x')`
    expect(await migrate(owner)).toEqual([])
    expect(await pendingMigrations(sql)).toEqual([])
  })
})
