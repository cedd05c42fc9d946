import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { SERVER_VERSION } from '../../tools/production/temporal-server.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { findTemporal, startTemporal } from '../../src/main/dev/temporal.ts'
import { makeFolder, removeFolder, testFolder } from '../support/folders.ts'
import { ends, startFromElsewhere } from '../support/starters.ts'

const run = promisify(execFile)

const log = (): void => {}
const KEYWORD = 2
const KEYWORD_LIST = 7

let folder: string
let binary: string
let server: Awaited<ReturnType<typeof startTemporal>>
beforeAll(async () => {
  folder = await makeFolder('temporal')
  binary = await findTemporal({ cacheFolder: inject('cacheFolder'), log })
  server = await startTemporal({ ...(await options()), uiPort: await freePort() })
})
afterAll(async () => {
  await server.stop()
  await removeFolder(folder)
})

const options = async () => ({
  binary,
  folder,
  port: await freePort(),
  namespace: 'default',
  searchAttributes: { Colour: 'Keyword' },
  log,
})

async function withClient<T>(address: string, act: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address })
  try {
    return await act(new Client({ connection }))
  } finally {
    await connection.close()
  }
}

const attributesOf = (address: string) =>
  withClient(address, async ({ connection }) => {
    const listed = await (connection as Connection).operatorService.listSearchAttributes({
      namespace: 'default',
    })
    return listed.customAttributes ?? {}
  })

const start = (address: string, workflowId: string, attributes: Record<string, string[]>) =>
  withClient(address, ({ workflow }) =>
    workflow.start('nobodyRunsIt', {
      workflowId,
      taskQueue: 'nobody',
      searchAttributes: attributes,
    }),
  )

const stateOf = (address: string, workflowId: string) =>
  withClient(address, async ({ workflow }) => {
    const { status, searchAttributes } = await workflow.getHandle(workflowId).describe()
    return { status: status.name, searchAttributes }
  })

// One server, to which one thing after the other is done.

test('the server has the version of the images in docker-compose.yml', async () => {
  const { stdout } = await run(binary, ['--version'])
  expect(stdout).toContain(`(Server ${SERVER_VERSION},`)
})

test('starts with its UI and its search attributes, and not twice on one folder', async () => {
  expect(await (await fetch(server.uiUrl!)).text()).toContain('<html')
  expect(await attributesOf(server.address)).toMatchObject({ Colour: KEYWORD })
  await expect(startTemporal(await options())).rejects.toThrow(
    `${folder} is in use by another process`,
  )
})

test('loses nothing when it is killed, and knows attributes that have come since', async () => {
  await start(server.address, 'before', { Colour: ['red'] })
  process.kill(server.pid, 'SIGKILL')
  await server.stop()
  const searchAttributes = { Colour: 'Keyword', Shapes: 'KeywordList' }
  server = await startTemporal({ ...(await options()), searchAttributes })
  expect(server.uiUrl).toBeUndefined()
  expect(await stateOf(server.address, 'before')).toEqual({
    status: 'RUNNING',
    searchAttributes: { Colour: ['red'] },
  })
  expect(await attributesOf(server.address)).toMatchObject({ Shapes: KEYWORD_LIST })
  await start(server.address, 'after', { Shapes: ['round', 'flat'] })
})

test('goes on where it was, does not outlive a parent that is killed, and loses nothing by it', async () => {
  await server.stop()
  expect(await ends(server.pid, 0)).toBe(true)
  const { port, ...rest } = await options()
  const { said, kill } = await startFromElsewhere('temporal', { ...rest, port })
  expect((await stateOf(`127.0.0.1:${port}`, 'after')).status).toBe('RUNNING')
  await start(`127.0.0.1:${port}`, 'killed', { Colour: ['blue'] })
  await kill()
  // At once: the last one may still be stopping.
  server = await startTemporal(await options())
  expect(await ends(said.pid, 0)).toBe(true)
  for (const workflowId of ['before', 'after', 'killed']) {
    expect((await stateOf(server.address, workflowId)).status).toBe('RUNNING')
  }
})

test('does not take the server that is on its port already for its own', async () => {
  const other = await testFolder('temporal')
  const port = Number(inject('temporalAddress').split(':')[1])
  const starting = startTemporal({ ...(await options()), folder: other, port })
  await expect(starting).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken`)
})

test('says what is wrong when it cannot start', async () => {
  const other = await testFolder('temporal')
  const searchAttributes = { Colour: 'Keyword', Weight: 'Kilogram' }
  const starting = startTemporal({ ...(await options()), folder: other, searchAttributes })
  await expect(starting).rejects.toThrow(/ended \(1\) before it was ready:\n.*"Kilogram"/)
})
