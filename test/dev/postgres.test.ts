import { once } from 'node:events'
import { chown, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/dev/ports.ts'
import { embeddedFolder, findEmbeddedBinaries } from '../../src/dev/postgres-binaries.ts'
import { type PostgresOptions, startPostgres } from '../../src/dev/postgres.ts'
import { serverUser } from '../../src/dev/postgres-user.ts'
import { makeFolder, removeFolder, testFolder } from '../support/folders.ts'
import { ends, startFromElsewhere } from '../support/starters.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }
const log = (): void => {}

async function options(folder: string, preferEmbedded = false): Promise<PostgresOptions> {
  return { folder, port: await freePort(), log, preferEmbedded }
}

/** One statement on a connection of its own. */
async function ask(url: string, statement: string): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

describe.each([
  ['the installed server', false],
  ['the packaged server', true],
])('%s', (_, embedded) => {
  let folder: string
  beforeAll(async () => {
    folder = await makeFolder('postgres')
    const server = await startPostgres(await options(folder, embedded))
    await ask(server.url, 'create table kept (n integer)')
    await ask(server.url, 'insert into kept values (1)')
    await server.stop()
  })
  afterAll(() => removeFolder(folder))

  const kept = async (url: string): Promise<number[]> =>
    (await ask(url, 'select n from kept order by n')).map((row) => row['n'] as number)

  test('keeps its data over a restart', async () => {
    const server = await startPostgres(await options(folder, embedded))
    expect(await kept(server.url)).toEqual([1])
    await server.stop()
    expect(await ends(server.pid, 0)).toBe(true)
  })

  test('keeps its data when it is killed', async () => {
    const first = await startPostgres(await options(folder, embedded))
    await ask(first.url, 'insert into kept values (2)')
    process.kill(first.pid, 'SIGKILL')
    await first.stop()
    const second = await startPostgres(await options(folder, embedded))
    expect(await kept(second.url)).toEqual([1, 2])
    await second.stop()
  })

  test('does not outlive a parent that is killed, and starts again after it', async () => {
    const { said, kill } = await startFromElsewhere('postgres', await options(folder, embedded))
    await ask(said.url!, 'insert into kept values (3)')
    await kill()
    // At once: the last one may still be stopping.
    const next = await startPostgres(await options(folder, embedded))
    expect(await ends(said.pid, 0)).toBe(true)
    expect(await kept(next.url)).toEqual([1, 2, 3])
    await next.stop()
  })

  test('starts although the number of a dead server is somebody else’s now', async () => {
    const first = await startPostgres(await options(folder, embedded))
    process.kill(first.pid, 'SIGKILL')
    await first.stop()
    const file = join(folder, 'data', 'postmaster.pid')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/^\d+/, String(process.pid)))
    const second = await startPostgres(await options(folder, embedded))
    expect(await kept(second.url)).toContain(1)
    await second.stop()
  })

  test('asks for a password that only we can read, on the loopback address only', async () => {
    const server = await startPostgres(await options(folder, embedded))
    expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600)
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    await expect(ask(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
    const [settings] = await ask(
      server.url,
      `select current_setting('listen_addresses') as host,
        current_setting('unix_socket_directories') as sockets,
        current_setting('fsync') as fsync, lower('ÄÉ') as lowered`,
    )
    expect(settings).toEqual({ host: '127.0.0.1', sockets: '', fsync: 'on', lowered: 'äé' })
    await server.stop()
  })

  test('is not started twice on one folder', async () => {
    const server = await startPostgres(await options(folder, embedded))
    await expect(startPostgres(await options(folder, embedded))).rejects.toThrow(
      `${folder} is in use by another process`,
    )
    await server.stop()
  })

  test.runIf(isRoot)('does not run as root', async () => {
    const server = await startPostgres(await options(folder, embedded))
    expect((await stat(`/proc/${server.pid}`)).uid).toBe((await serverUser())?.uid)
    await server.stop()
  })
})

test('says what is wrong when it cannot start', async () => {
  const folder = await testFolder('postgres')
  const taken = createServer().listen(await freePort(), '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const starting = startPostgres({ ...(await options(folder)), port })
  await expect(starting).rejects.toThrow('Address already in use')
  taken.close()
})

test.runIf(isRoot)('runs for a person who is not root', async () => {
  const folder = await testFolder('postgres')
  await chown(folder, NOBODY.uid, NOBODY.gid)
  const { said, kill } = await startFromElsewhere('postgres', await options(folder, true), NOBODY)
  expect((await stat(`/proc/${said.pid}`)).uid).toBe(NOBODY.uid)
  expect(await ask(said.url!, 'select 1 as one')).toEqual([{ one: 1 }])
  await kill()
  expect(await ends(said.pid)).toBe(true)
})

test('data decide about the version', async () => {
  const folder = await testFolder('postgres')
  const packaged = await startPostgres(await options(folder, true))
  await packaged.stop()
  const again = await startPostgres(await options(folder, false))
  expect(again.major).toBe(packaged.major)
  await again.stop()
  await writeFile(join(folder, 'data', 'PG_VERSION'), '14\n')
  await expect(startPostgres(await options(folder))).rejects.toThrow(
    `The data in ${folder} were made by PostgreSQL 14, which is not installed`,
  )
})

test('the packaged server runs although no install script made its links', async () => {
  const folder = await testFolder('postgres')
  const user = await serverUser()
  const native = join(folder, 'package', 'native')
  await cp(embeddedFolder()!, native, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { target } of links) await rm(join(folder, 'package', target), { force: true })
  const binaries = await findEmbeddedBinaries(folder, user, native)
  expect(binaries?.bin).toBe(join(folder, 'postgres-runtime', 'bin'))
  expect(await findEmbeddedBinaries(folder, user, native)).toEqual(binaries)
})

test.runIf(isRoot)('root may keep the folder where nobody else can enter', async () => {
  const folder = await testFolder('postgres')
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  const lines: string[] = []
  const wanted = join(home, 'checkout', '.letterloom')
  const server = await startPostgres({
    ...(await options(wanted)),
    log: (line) => lines.push(line),
  })
  expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
  const elsewhere = /the data is in (.+)$/m.exec(lines.join('\n'))?.[1]
  expect(elsewhere).toMatch(/^\/var\/lib\/letterloom\/[0-9a-f]{12}$/)
  await removeFolder(elsewhere!)
})
