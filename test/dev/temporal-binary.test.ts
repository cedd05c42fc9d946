import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../src/dev/checksums.ts'
import { download } from '../../src/dev/download.ts'
import { findTemporal } from '../../src/dev/temporal.ts'
import { makeFolder, removeFolder, testFolder } from '../support/folders.ts'

const run = promisify(execFile)
const log = (): void => {}
const NOT_INSTALLED = { temporal: 'no-such-temporal', go: 'no-such-go' }
const NOWHERE = 'http://127.0.0.1:1'

/** A download service on loopback that answers as Temporal's does. */
let service: string
let server: Server
let folder: string
let archives = 0
let silent = false

beforeAll(async () => {
  folder = await makeFolder('service')
  await writeFile(join(folder, 'temporal'), '#!/bin/sh\necho hello\n')
  await run('tar', ['-czf', 'archive.tar.gz', 'temporal'], { cwd: folder })
  const archive = await readFile(join(folder, 'archive.tar.gz'))
  server = createServer((request, response) => {
    if (request.url?.startsWith('/archive')) {
      archives++
      response.end(archive)
    } else if (!silent) {
      const archiveUrl = `${service}/archive.tar.gz`
      response.end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  archives = 0
  silent = false
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await removeFolder(folder)
})

test('without Go and without a way out, one error says what to install', async () => {
  const cacheFolder = await testFolder('cache')
  const ways = { ...NOT_INSTALLED, service: NOWHERE }
  await expect(findTemporal({ cacheFolder, log, ways })).rejects.toThrow(
    /Install the Temporal CLI .+ or Go 1\.26 or later, or set TEMPORAL_ADDRESS/,
  )
})

test('a service that does not answer is given up on soon', async () => {
  silent = true
  const cacheFolder = await testFolder('cache')
  const began = Date.now()
  const ways = { ...NOT_INSTALLED, service }
  await expect(findTemporal({ cacheFolder, log, ways })).rejects.toThrow('Install the Temporal CLI')
  expect(Date.now() - began).toBeLessThan(10_000)
})

test('two that want it at once download it once, and use it later', async () => {
  const cacheFolder = await testFolder('cache')
  const ways = { ...NOT_INSTALLED, service }
  const find = () => findTemporal({ cacheFolder, log, ways })
  const found = await Promise.all([find(), find(), find()])
  expect(new Set(found).size).toBe(1)
  expect((await run(found[0], [])).stdout).toBe('hello\n')
  expect(await findTemporal({ cacheFolder, log, ways: { ...ways, service: NOWHERE } })).toBe(
    found[0],
  )
  expect(archives).toBe(1)
})

test('a program that was changed in the cache is not run', async () => {
  const cacheFolder = await testFolder('cache')
  const ways = { ...NOT_INSTALLED, service }
  const binary = await findTemporal({ cacheFolder, log, ways })
  await appendFile(binary, 'echo and more\n')
  await expect(findTemporal({ cacheFolder, log, ways })).rejects.toThrow(
    `${binary} is not what was put there`,
  )
})

test('a download that is not the known one is refused', async () => {
  const cacheFolder = await testFolder('cache')
  const sums = join(cacheFolder, 'SHA256SUMS')
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `cli-1.2.3-${process.platform}-${arch}`
  const target = join(cacheFolder, 'temporal')
  const options = { service, artifact: 'cli', version: '1.2.3', target, sums, log }
  await writeFile(sums, `${'0'.repeat(64)}  ${name}\n`)
  await expect(download(options)).rejects.toThrow(`The download of ${name} is not the known one`)
  await expect(sha256(target)).rejects.toThrow('ENOENT')
  await writeFile(sums, `${await sha256(join(folder, 'temporal'))}  ${name}\n`)
  await download(options)
  expect(await sha256(target)).toBe(await sha256(join(folder, 'temporal')))
})
