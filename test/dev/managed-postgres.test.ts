import { afterEach, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { makeRoles } from '../../src/store/db/roles.ts'
import { connect, type Pool, type Sql, within } from '../../src/store/db/sql.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/**
 * A new server, as a provider gives it: nobody is a superuser, and the `master` may make roles and
 * databases. Returns how a login reaches a database there.
 */
async function startManaged(preferEmbedded: boolean) {
  const folder = await makeFolder('managed')
  stops.push(() => removeFolder(folder))
  const server = await startPostgres({
    folder,
    port: await freePort(),
    log: () => {},
    preferEmbedded,
    settings: { fsync: 'off' },
  })
  stops.push(() => server.stop())
  const open = (username: string, database: string, role?: Pool['role']): Sql => {
    const url = new URL(server.url)
    Object.assign(url, { username, password: username, pathname: `/${database}` })
    const sql = connect(url.href, { name: 'managed', max: 1, ...(role ? { role } : {}) })
    stops.push(() => sql.end())
    return sql
  }
  const provider = connect(server.url, { name: 'provider', max: 1 })
  await provider`create role master login createrole createdb password 'master'`
  await provider.end()
  return open
}

test.each([
  ['installed', false],
  ['packaged', true],
] as const)(
  'without a superuser the master user of the %s Postgres migrates, and makes room for another owner',
  async (_, preferEmbedded) => {
    const open = await startManaged(preferEmbedded)
    const postgres = open('master', 'postgres')
    await postgres`create database production`
    const master = open('master', 'production')
    expect((await migrate(master)).length).toBeGreaterThan(2)
    await master.begin((tx) =>
      makeRoles(tx, { api_password: 'letterloom_api', worker_password: 'letterloom_worker' }),
    )
    const worker = open('letterloom_worker', 'production', 'letterloom_worker')
    const { organizationId } = await seedOrganization(worker)
    await seedContacts(worker, organizationId, 2)
    const api = open('letterloom_api', 'production', 'letterloom_api')
    expect(await within(api, organizationId)`select id from contacts`).toHaveLength(2)
    expect(await within(api, uuidv7())`select id from contacts`).toEqual([])
    const search = open('letterloom_api', 'production', 'letterloom_search')
    expect(await search`select id from contacts`).toHaveLength(2)

    await postgres`create role staging login createdb password 'staging'`
    const staging = open('staging', 'staging')
    await open('staging', 'postgres')`create database staging`
    await expect(migrate(staging)).rejects.toThrow(`letterloom.owner = 'staging'`)
    await master.begin((tx) => makeRoles(tx, { owner: 'staging' }))
    expect((await migrate(staging)).length).toBeGreaterThan(2)
  },
)
