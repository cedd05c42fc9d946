import { once } from 'node:events'
import { chown, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { embeddedFolder, findEmbeddedBinaries } from '../../src/main/dev/postgres-binaries.ts'
import {
  type PostgresOptions,
  type RunningPostgres,
  startPostgres,
} from '../../src/main/dev/postgres.ts'
import { serverUser } from '../../src/main/dev/postgres-user.ts'
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

// One server of each, to whom one thing after the other is done.
describe.each([
  ['the installed server', false],
  ['the packaged server', true],
])('%s', (_, embedded) => {
  let folder: string
  let server: RunningPostgres
  beforeAll(async () => {
    folder = await makeFolder('postgres')
    server = await startPostgres(await options(folder, embedded))
    await ask(server.url, 'create table kept (n integer)')
    await ask(server.url, 'insert into kept values (1)')
  })
  afterAll(async () => {
    await server.stop()
    await removeFolder(folder)
  })

  const kept = async (url: string): Promise<number[]> =>
    (await ask(url, 'select n from kept order by n')).map((row) => row['n'] as number)

  test('asks for a password that only we can read, on the loopback address only', async () => {
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
  })

  test('is not started twice on one folder', async () => {
    await expect(startPostgres(await options(folder, embedded))).rejects.toThrow(
      `${folder} is in use by another process`,
    )
  })

  test.runIf(isRoot)('does not run as root', async () => {
    expect((await stat(`/proc/${server.pid}`)).uid).toBe((await serverUser())?.uid)
  })

  test('keeps its data when it is killed, although its number is somebody else’s now; they decide about the version', async () => {
    const { major, pid } = server
    await ask(server.url, 'insert into kept values (2)')
    process.kill(pid, 'SIGKILL')
    await server.stop()
    const file = join(folder, 'data', 'postmaster.pid')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/^\d+/, String(process.pid)))
    server = await startPostgres(await options(folder))
    expect(await kept(server.url)).toEqual([1, 2])
    expect(server.major).toBe(major)
  })

  test('keeps its data over a restart, does not outlive a parent that is killed, and starts again after it', async () => {
    await server.stop()
    expect(await ends(server.pid, 0)).toBe(true)
    const { said, kill } = await startFromElsewhere('postgres', await options(folder, embedded))
    expect(await kept(said.url!)).toEqual([1, 2])
    await ask(said.url!, 'insert into kept values (3)')
    await kill()
    // At once: the last one may still be stopping.
    server = await startPostgres(await options(folder, embedded))
    expect(await ends(said.pid, 0)).toBe(true)
    expect(await kept(server.url)).toEqual([1, 2, 3])
  })

  test('says what is wrong when it cannot start', async () => {
    await server.stop()
    const taken = createServer().listen(await freePort(), '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const starting = startPostgres({ ...(await options(folder, embedded)), port })
    await expect(starting).rejects.toThrow('Address already in use')
    taken.close()
    await writeFile(join(folder, 'data', 'PG_VERSION'), '14\n')
    await expect(startPostgres(await options(folder))).rejects.toThrow(
      `The data in ${folder} were made by PostgreSQL 14, which is not installed`,
    )
  })
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
