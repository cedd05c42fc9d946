import { execFile } from 'node:child_process'
import { chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect as dial } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { temporalConnection } from '../../src/main/programs/required.ts'
import { connect } from '../../src/store/db/sql.ts'
import { root } from '../house/files.ts'
import { type Certificate, makeAuthority, makeCertificate } from '../support/authority.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'

/** What Node says of a certificate that no known authority has signed. */
const UNTRUSTED = /self-signed|unable to (?:verify|get)|signature failure/

const closes: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closes.toReversed()) await close()
})

let folder: string
let authority: Certificate
beforeAll(async () => {
  folder = await makeFolder('encrypted')
  closes.push(() => removeFolder(folder))
  authority = makeAuthority('Ours')
  await write('ours.pem', authority.cert)
  await write('theirs.pem', makeAuthority('Theirs').cert)
})

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

const file = (name: string): string => join(folder, name)

test('Postgres is reached as its URL says, and nobody else in its place', async () => {
  const home = join(folder, 'postgres')
  await mkdir(home)
  const port = await freePort()
  const server = await startPostgres({ folder: home, port, log: () => {} })
  closes.push(() => server.stop())
  const { key, cert } = makeCertificate(authority, 'localhost')
  const data = join(home, 'data')
  const { uid, gid } = await stat(data)
  for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    await writeFile(join(data, name), text, { mode: 0o600 })
    await chown(join(data, name), uid, gid)
  }
  const asks = async (url: string): Promise<boolean> => {
    const sql = connect(url, { name: 'encrypted', max: 1 })
    try {
      const [session] = await sql<{ ssl: boolean }[]>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return session?.ssl ?? false
    } finally {
      await sql.end()
    }
  }
  const plain = connect(server.url, { name: 'plain', max: 1 })
  await plain`alter system set ssl = on`
  await plain`select pg_reload_conf()`
  await expect.poll(async () => (await plain`show ssl`)[0]).toEqual({ ssl: 'on' })
  await plain.end()

  const by = (host: string, parameters: Record<string, string>): string => {
    const url = new URL(server.url)
    url.hostname = host
    url.search = new URLSearchParams(parameters).toString()
    return url.href
  }
  const [ours, theirs] = [file('ours.pem'), file('theirs.pem')]
  const full = { sslmode: 'verify-full', sslrootcert: ours }
  expect(await asks(by('localhost', full))).toBe(true)
  expect(await asks(by('localhost', { sslrootcert: ours }))).toBe(true)
  expect(await asks(by('127.0.0.1', { sslmode: 'verify-ca', sslrootcert: ours }))).toBe(true)
  expect(await asks(by('127.0.0.1', { sslmode: 'require' }))).toBe(true)
  expect(await asks(by('localhost', { sslmode: 'disable' }))).toBe(false)
  // Another name, another authority, and no authority but those that Node knows.
  await expect(asks(by('127.0.0.1', full))).rejects.toThrow(/altnames|not in the cert/i)
  for (const sslmode of ['require', 'verify-ca', 'verify-full']) {
    await expect(asks(by('localhost', { sslmode, sslrootcert: theirs }))).rejects.toThrow(UNTRUSTED)
  }
  await expect(asks(by('localhost', { sslmode: 'verify-full' }))).rejects.toThrow(UNTRUSTED)
})

test.each([
  ['sslmode=verify', 'DATABASE_URL: sslmode must be one of disable, prefer, require, verify-ca'],
  [
    'sslrootcert=/nowhere.pem',
    'DATABASE_URL: the file of sslrootcert cannot be read: /nowhere.pem',
  ],
  ['sslmode=require&sslkey=/nowhere.pem', 'DATABASE_URL: sslcert and sslkey go together'],
  [
    'sslmode=verify-full&sslrootcert=system',
    'DATABASE_URL: sslmode=verify-full needs names where there are several hosts',
  ],
])('a URL with %s is refused in one sentence without its password', (query, sentence) => {
  const open = () =>
    connect(`postgres://me:secret@192.0.2.1,localhost/x?${query}`, { name: 'refused' })
  expect(open).toThrow(sentence)
  expect(open).not.toThrow('secret')
})

/** Temporal behind TLS that asks for a certificate of our authority. Returns its address. */
async function startMutualTls(): Promise<string> {
  const [host = '', port = ''] = inject('temporalAddress').split(':')
  const server = createServer(
    {
      ...makeCertificate(authority, 'temporal.example'),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      const upstream = dial({ host, port: Number(port) })
      socket.pipe(upstream).pipe(socket)
      socket.on('error', () => upstream.destroy())
      upstream.on('error', () => socket.destroy())
    },
  )
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  closes.push(async () => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('Temporal is reached with a certificate of ours by API, worker and namespace job', async () => {
  const TEMPORAL_ADDRESS = await startMutualTls()
  const client = makeCertificate(authority, 'letterloom')
  const ours = {
    TEMPORAL_ADDRESS,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ours.pem'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
    TEMPORAL_TLS_CLIENT_CERT_PATH: await write('client.pem', client.cert),
    TEMPORAL_TLS_CLIENT_KEY_DATA_FILE: await write('client.key', client.key),
  }
  const { channelArgs, ...reached } = temporalConnection(readConfig(ours))
  const connection = await Connection.connect({ ...reached, channelArgs })
  await connection.close()
  const native = await NativeConnection.connect(reached)
  await native.close()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'tools/production/namespace.mjs')],
    { env: { PATH: process.env['PATH'], ...ours } },
  )
  expect(stdout).toContain('The namespace default is there')

  const { TEMPORAL_TLS_SERVER_NAME: _name, ...nameless } = ours
  const refused: Record<string, string>[] = [
    { TEMPORAL_ADDRESS },
    nameless,
    { ...ours, TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('theirs.pem') },
  ]
  for (const environment of refused) {
    const options = { ...temporalConnection(readConfig(environment)), connectTimeout: 2_000 }
    await expect(Connection.connect(options)).rejects.toThrow(/connect|deadline/i)
  }
})
