import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginUrl } from '../../src/store/db/logins.ts'
import { root } from '../house/files.ts'
import { createDatabase } from '../support/database.ts'

const CONSUMER = `
import { ApiFailure, createClient, pages } from 'letterloom-client'
const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'loom_x' })
export const sent = async (id: string): Promise<number> =>
  (await client.get('/v1/batch/{id}', { params: { path: { id } } })).sent
export const failed = (error: unknown) => error instanceof ApiFailure && error.status
console.log(typeof client.post, typeof pages)
`

const run = promisify(execFile)

/** A project of somebody else, with the client and what its manifest asks for, and nothing more. */
let project: string
/** The unpacked package of the server, with the dependencies of this checkout. */
let server: string
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'letterloom-consumer-'))
  const { stdout } = await run(process.execPath, ['tools/pack.mjs'], { cwd: root })
  const [serverFile = '', clientFile = ''] = stdout.trim().split('\n')
  server = join(project, 'server/package')
  await unpack(serverFile, join(project, 'server'))
  await symlink(join(root, 'node_modules'), join(project, 'server/node_modules'))

  const client = join(project, 'node_modules/letterloom-client')
  await unpack(clientFile, client, '--strip-components=1')
  const { dependencies } = await manifest(client)
  for (const name of Object.keys(dependencies)) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(project, { recursive: true, force: true }))

async function unpack(file: string, folder: string, ...options: string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', join(root, file), '-C', folder, ...options])
}

const manifest = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    version: string
    dependencies: Record<string, string>
  }

/** Compiles what consumers wrote, each by its name; returns what the compiler says of each. */
async function compile(sources: Record<string, string>): Promise<Record<string, string>> {
  const names = Object.keys(sources)
  for (const name of names) await writeFile(join(project, `${name}.mts`), sources[name] ?? '')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', '']
  const files = names.map((name) => `${name}.mts`)
  const said = await run(process.execPath, [tsc, ...options, '--lib', 'es2023,dom', ...files], {
    cwd: project,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  const problems = said.split(/^(?=\S)/m)
  return Object.fromEntries(
    names.map((name) => [name, problems.filter((each) => each.startsWith(`${name}.mts`)).join('')]),
  )
}

test('a project that installed the package compiles against the client and runs it; its compiler refuses a path that is not there and a field of another type', async () => {
  const { right, field, path } = await compile({
    right: CONSUMER,
    field: CONSUMER.replace('Promise<number>', 'Promise<string>'),
    path: CONSUMER.replace('/v1/batch/{id}', '/v1/butch/{id}'),
  })
  expect(right).toBe('')
  expect((await run(process.execPath, ['right.mjs'], { cwd: project })).stdout).toBe(
    'function function\n',
  )
  expect(field).toMatch(/'number' is not assignable to type 'string'/)
  expect(path).toMatch(/"\/v1\/butch\/\{id\}"/)
})

test('the client has the version of the server, and of its dependencies what it is built with', async () => {
  const [ours, theirs] = [await manifest(root), await manifest(join(root, 'src/client'))]
  expect(theirs.version).toBe(ours.version)
  const built = Object.keys(theirs.dependencies).map(async (name) => {
    const { version } = await manifest(join(root, 'node_modules', name))
    return [name, version]
  })
  expect(theirs.dependencies).toEqual(Object.fromEntries(await Promise.all(built)))
  expect(Object.keys(theirs.dependencies)).toHaveLength(2)
})

test('the package of the server has the command, and the migrations of this version', async () => {
  // Its files are compared by their hashes with what ran here.
  const database = await createDatabase()
  const cli = join(server, 'dist/src/main/cli.js')
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: loginUrl(database.url, 'letterloom_owner'),
  }
  const { stdout } = await run(process.execPath, [cli, '--version'], { env })
  expect(stdout.trim()).toBe((await manifest(root)).version)
  await run(process.execPath, [cli, 'migrate'], { env })
  await database.drop()
  const files = (await readdir(join(server, 'migrations'))).filter((name) => name.endsWith('.sql'))
  expect(files).toEqual(
    (await readdir(join(root, 'migrations'))).filter((name) => name.endsWith('.sql')),
  )
  expect(files.length).toBeGreaterThan(5)
})

test('it brings neither tests nor sources nor the stand-in for AWS, and its command says so', async () => {
  const names = (await readdir(server)).sort()
  expect(names).toEqual(['CHANGELOG.md', 'README.md', 'dist', 'migrations', 'package.json'])
  expect(await readdir(join(server, 'dist'))).not.toContain('tools')
  const env = { PATH: process.env['PATH'] }
  for (const command of ['dev', 'demo', 'sandbox']) {
    const ran = run(process.execPath, [join(server, 'dist/src/main/cli.js'), command], { env })
    await expect(ran, command).rejects.toMatchObject({
      code: 1,
      stderr: 'This command runs from a checkout: it is not part of the image and the package.\n',
    })
  }
})
