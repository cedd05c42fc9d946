import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../house/files.ts'

const CONSUMER = `
import { ApiFailure, createClient, pages } from 'letterloom/client'
const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'loom_x' })
export const sent = async (id: string): Promise<number> =>
  (await client.get('/v1/batch/{id}', { params: { path: { id } } })).sent
export const failed = (error: unknown) => error instanceof ApiFailure && error.status
console.log(typeof client.post, typeof pages)
`

/** A project of somebody else that has this package installed. */
let project: string
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'letterloom-consumer-'))
  await mkdir(join(project, 'node_modules'))
  await symlink(root, join(project, 'node_modules/letterloom'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(project, { recursive: true, force: true }))

/** Compiles and runs what a consumer wrote; answers what was printed. */
async function compile(source: string): Promise<string> {
  await writeFile(join(project, 'main.mts'), source)
  const run = promisify(execFile)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', '']
  await run(process.execPath, [tsc, ...options, '--lib', 'es2023,dom', 'main.mts'], {
    cwd: project,
  }).catch((failed: { stdout: string }) => Promise.reject(new Error(failed.stdout)))
  return (await run(process.execPath, ['main.mjs'], { cwd: project })).stdout
}

test('a project that installed the package compiles against the client and runs it', async () => {
  expect(await compile(CONSUMER)).toBe('function function\n')
})

test('its compiler refuses a path that is not there and a field of another type', async () => {
  const wrongField = CONSUMER.replace('Promise<number>', 'Promise<string>')
  await expect(compile(wrongField)).rejects.toThrow(/'number' is not assignable to type 'string'/)
  const wrongPath = CONSUMER.replace('/v1/batch/{id}', '/v1/butch/{id}')
  await expect(compile(wrongPath)).rejects.toThrow(/"\/v1\/butch\/\{id\}"/)
})
