import { connect as dial, createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { type RunningPostgres, startPostgres } from '../../src/main/dev/postgres.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { until } from '../support/engine.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'

const STATEMENT_MS = 500
/** After this the client sends nothing more, as if it were stopped. */
const LAST_WORDS = 'last_words'

let folder: string
let server: RunningPostgres
let sql: Sql

beforeAll(async () => {
  folder = await makeFolder('postgres')
  // Of the version that the package has: an installed one may be older than 17.
  const port = await freePort()
  server = await startPostgres({ folder, port, log: () => {}, preferEmbedded: true })
  sql = connect(server.url, { name: 'watcher' })
  await sql`create table marks (id integer)`
  await sql`insert into marks values (1)`
})
afterAll(async () => {
  await sql.end()
  await server.stop()
  await removeFolder(folder)
})

test('locks of a client that stopped between the parts of a statement are released', async () => {
  const way = await quietWay(server)
  const frozen = connect(way.url, { name: 'frozen', statementTimeoutMs: STATEMENT_MS })
  const held = frozen.begin(async (tx) => {
    await tx`select from marks where id = ${1} for update`
    await tx.unsafe(`select $1::integer as ${LAST_WORDS}`, [1])
  })
  held.catch(() => {})
  await until(async () => way.isQuiet())
  expect(await unheld()).toBe(0)
  await until(async () => (await unheld()) === 1)
  await frozen.end({ timeout: 0 })
  await expect(held).rejects.toThrow('the connection to Postgres was lost')
  way.close()
})

const unheld = async () => (await sql`select from marks for update skip locked`).length

test('the server looks whether a client is still there', async () => {
  const [row] = await sql`
    select current_setting('tcp_keepalives_idle')::integer
      + current_setting('tcp_keepalives_interval')::integer
      * current_setting('tcp_keepalives_count')::integer as seconds`
  expect(row).toEqual({ seconds: 30 })
})

/** Passes everything on until the client has said its last words. */
async function quietWay({ url, port }: RunningPostgres) {
  let quiet = false
  const way = createServer((client) => {
    const postgres = dial(port, '127.0.0.1')
    client.on('data', (data) => {
      if (quiet) return
      postgres.write(data)
      quiet = data.includes(LAST_WORDS)
    })
    postgres.on('data', (data) => client.write(data))
    client.on('error', () => {})
    // A client that is stopped does not hang up either.
    postgres.on('error', () => {}).on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  const address = new URL(url)
  address.port = String((way.address() as AddressInfo).port)
  return { url: address.href, isQuiet: () => quiet, close: () => way.close() }
}
