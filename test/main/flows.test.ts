import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addFlowCommands } from '../../src/main/commands/flow-commands.ts'
import { type Api, startApi } from '../support/api.ts'
import { commandLine } from '../support/command-line.ts'
import { until } from '../support/engine.ts'
import { flowInput, smallFlow } from '../support/flow-inputs.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const execute = promisify(execFile)

let api: Api
let baseUrl: string
let folder: string
let file: string
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
  folder = await mkdtemp(join(tmpdir(), 'letterloom-flows-'))
  file = join(folder, 'flows.json')
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  await api.sql`update flows set enabled = false, deleted_at = clock_timestamp()`
})

const inThisProcess = commandLine(addFlowCommands)
const run = (args: string[], env: Record<string, string> = {}) =>
  inThisProcess(['flows', ...args], { env: { LETTERLOOM_API_KEY: api.alice.key, ...env } })

/** By the compiled program. */
const runProgram = (...args: string[]) =>
  execute(process.execPath, [CLI, 'flows', ...args, '--base-url', baseUrl], {
    env: { ...process.env, LETTERLOOM_API_KEY: api.alice.key },
  })
const pull = (...args: string[]) => run(['pull', '--base-url', baseUrl, ...args])
const push = (...args: string[]) => run(['push', file, '--base-url', baseUrl, ...args])
const write = (workflows: unknown) => writeFile(file, JSON.stringify({ workflows }))
const get = async (slug: string) => (await api.alice.get(`/v1/workflows/${slug}`)).body
const make = async (...workflows: object[]) => {
  // On a busy machine the API may say that it is.
  await until(async () => {
    const { status } = await api.alice.post('/v1/workflows/push', { workflows })
    if (status !== 503) expect(status).toBe(200)
    return status === 200
  })
}

describe('pull and push', () => {
  test('a file that was pulled changes nothing; edited, it is tried and then pushed', async () => {
    await make(flowInput({ slug: 'welcome' }), smallFlow({ slug: 'small' }))
    const pulled = await runProgram('pull')
    expect(pulled.stderr).toBe('')
    expect(pulled.stdout).not.toContain('s3cret')
    await writeFile(file, pulled.stdout)
    const same = await runProgram('push', file, '--json')
    expect(JSON.parse(same.stdout)).toMatchObject({
      success: true,
      dryRun: false,
      results: [{ outcome: 'unchanged' }, { outcome: 'unchanged' }],
    })

    await writeFile(file, pulled.stdout.replace('"name": "Small"', '"name": "Smaller"'))
    const tried = await push('--dry-run', '--json')
    expect(JSON.parse(tried.stdout)).toMatchObject({
      dryRun: true,
      results: expect.arrayContaining([expect.objectContaining({ outcome: 'updated' })]),
    })
    expect((await get('small')).name).toBe('Small')
    const { code, stdout } = await push()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^slug +id +outcome +version\n/)
    expect(stdout).toMatch(/^small +\S+ +updated +1$/m)
    expect(stdout).toMatch(/^welcome +\S+ +unchanged +1$/m)
    expect((await get('small')).name).toBe('Smaller')
  })

  test('more workflows than a page has are pulled whole, and one alone by its slug', async () => {
    const many = Array.from({ length: 101 }, (_, n) => smallFlow({ slug: `flow-${n}` }))
    await make(...many.slice(0, 100))
    await make(...many.slice(100))
    const slugs = async (...args: string[]) =>
      JSON.parse((await pull(...args)).stdout).workflows.map(({ slug }: { slug: string }) => slug)
    expect(new Set(await slugs())).toEqual(new Set(many.map((_, n) => `flow-${n}`)))
    expect(await slugs('--slug', 'flow-7')).toEqual(['flow-7'])
    expect(await pull('--slug', 'flow-none')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no workflow flow-none\n',
    })
  })

  test('what was edited there is named and kept, unless it is pushed with force', async () => {
    await make(smallFlow({ slug: 'edited' }))
    await api.alice.patch('/v1/workflows/edited', { name: 'Edited there' })
    await write([smallFlow({ slug: 'edited', name: 'Mine' })])
    const refused = await push()
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('edited here since they were pushed')
    expect(refused.stderr).toContain('  workflows[0].slug: names edited, which was edited here\n')
    expect((await get('edited')).name).toBe('Edited there')
    expect((await push('--force')).code).toBe(0)
    expect((await get('edited')).name).toBe('Mine')
  })

  test('each problem of a file is told with its place, and nothing is pushed', async () => {
    const exit = { id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }
    const wait = { id: 'w', type: 'delay', name: 'W', config: { amount: 60, unit: 'weeks' } }
    const bad = smallFlow({ slug: 'bad', steps: [wait, exit] })
    await write([smallFlow({ slug: 'good' }), bad])
    const { code, stdout, stderr } = await push()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Nothing was pushed: bad: Step "W" \(w\): /)
    expect(stderr).toMatch(
      /^ {2}workflows\[1\]\.steps\[0\]\.config\.amount: bad: Step "W" \(w\): /m,
    )
    expect(stderr).toMatch(/^ {2}\(request [0-9a-f-]{36}\)$/m)
    expect((await get('good')).code).toBe('NOT_FOUND')
  })
})

describe('the key', () => {
  test('is taken from a file, and shown nowhere', async () => {
    const keyFile = join(folder, 'key')
    await writeFile(keyFile, `${api.alice.key}\n`)
    await make(smallFlow({ slug: 'mine' }))
    const env = { LETTERLOOM_API_KEY: '' }
    for (const [args, more] of [
      [['--key-file', keyFile], env],
      [[], { ...env, LETTERLOOM_API_KEY_FILE: keyFile }],
    ] as const) {
      const { code, stdout, stderr } = await run(['pull', '--base-url', baseUrl, ...args], more)
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout).workflows).toMatchObject([{ slug: 'mine' }])
      expect(stdout).not.toContain(api.alice.key)
    }
  })

  test('decides whose workflows are pulled and pushed', async () => {
    await make(smallFlow({ slug: 'mine' }))
    const asCharlie = { LETTERLOOM_API_KEY: api.charlie.key }
    const { stdout } = await run(['pull', '--base-url', baseUrl], asCharlie)
    expect(JSON.parse(stdout)).toEqual({ workflows: [] })
    await write([smallFlow({ slug: 'mine', name: 'Charlie’s' })])
    expect((await run(['push', file, '--base-url', baseUrl], asCharlie)).code).toBe(0)
    expect((await get('mine')).name).toBe('Small')
  })

  test('that may only read pulls and does not push', async () => {
    const { key } = await api.client(api.alice.organizationId, ['read'])
    await write([smallFlow({ slug: 'new' })])
    expect((await run(['pull', '--base-url', baseUrl], { LETTERLOOM_API_KEY: key })).code).toBe(0)
    const pushed = await run(['push', file, '--base-url', baseUrl], { LETTERLOOM_API_KEY: key })
    expect([pushed.code, pushed.stdout]).toEqual([1, ''])
    expect((await get('new')).code).toBe('NOT_FOUND')
  })

  test.each([
    ['', 'There is no API key: set LETTERLOOM_API_KEY or --key-file\n'],
    ['two words', 'LETTERLOOM_API_KEY does not hold an API key\n'],
    ['loom_revoked', /^.+\n {2}\(request [0-9a-f-]{36}\)\n$/],
  ])('%j is refused and not repeated', async (key, words) => {
    const { code, stdout, stderr } = await run(['pull', '--base-url', baseUrl], {
      LETTERLOOM_API_KEY: key,
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(words)
    expect(stderr).not.toContain(key || api.alice.key)
  })
})

describe('an error is a sentence', () => {
  test.each([
    [['push', '/nowhere/flows.json'], '/nowhere/flows.json cannot be read: ENOENT'],
    [['push', CLI], `${CLI} is not JSON: `],
    [['pull', '--base-url', 'mail.example.com'], 'begins with https:// or http://'],
    [['pull', '--key-file', '/nowhere/key'], '/nowhere/key cannot be read: ENOENT'],
    [['pull', '--key', 'loom_key'], "unknown option '--key'"],
    [['push'], "missing required argument 'file'"],
  ])('%j', async (args, words) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('a file without workflows is none, and an API that is not there is named', async () => {
    await writeFile(file, '{"flows": []}')
    expect((await push()).stderr).toBe(`${file} has no list of workflows: pull writes such files\n`)
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    await promisify(closed.close.bind(closed))()
    const { code, stderr } = await run(['pull', '--base-url', nobody])
    expect(code).toBe(1)
    expect(stderr).toContain(`The API does not answer at ${nobody}: connect ECONNREFUSED`)
    expect(await readFile(file, 'utf8')).toBe('{"flows": []}')
  })

  test('what answers elsewhere is not followed: a push would come there as something else', async () => {
    await write([smallFlow({ slug: 'moved' })])
    const proxy = createWebServer(({ url = '' }, response) => {
      response.writeHead(301, { location: new URL(url, baseUrl).href }).end()
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const moved = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    for (const args of [['pull'], ['push', file]]) {
      const { code, stdout, stderr } = await run([...args, '--base-url', moved])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(`${moved} answers 301: give the address that it leads to\n`)
    }
    proxy.close()
  })

  test.each(['<!doctype html>', '{"hello": "world"}'])(
    'something else than the API, which answers %j, is called so',
    async (answer) => {
      const other = createWebServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      })
      await once(other.listen(0, '127.0.0.1'), 'listening')
      const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
      const { code, stdout, stderr } = await run(['pull', '--base-url', elsewhere])
      other.close()
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(`What answers at ${elsewhere} is not the API\n`)
    },
  )

  test('a file that begins with a byte order mark is read', async () => {
    await writeFile(file, `\uFEFF${JSON.stringify({ workflows: [smallFlow({ slug: 'marked' })] })}`)
    expect((await push('--dry-run')).code).toBe(0)
  })

  test('--help lists the commands and says where the key comes from', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ +pull .*\w{4}/m)
    expect(stdout).toMatch(/^ +push .*\w{4}/m)
    expect(stdout).toContain('LETTERLOOM_API_KEY')
  })
})
