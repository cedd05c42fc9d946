import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startZoneServer, type ZoneServer } from '../support/zone-server.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const D = 'shop.example'
const execute = promisify(execFile)

let names: ZoneServer
beforeAll(async () => {
  names = await startZoneServer({
    [D]: { TXT: ['v=spf1 ip4:9.9.9.10 -all'], MX: ['10 mx.shop.example'] },
    'mx.shop.example': { A: ['9.9.9.10'] },
    'open.example': { TXT: ['v=spf1 +all \u001b[31mred'] },
  })
})
afterAll(() => names.close())

async function tools(...args: string[]) {
  const options = { env: { ...process.env, DNS_SERVERS: names.address } }
  try {
    return { code: 0, ...(await execute(process.execPath, [CLI, 'tools', ...args], options)) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

test('prints the report of the page, and the answer of the API', async () => {
  const [told, json] = await Promise.all([
    tools('spf', D, '--ip', '9.9.9.10'),
    tools('spf-check', D, '--json'),
  ])
  expect([told.code, told.stderr]).toEqual([0, ''])
  expect(told.stdout).toMatch(/^spf-check shop\.example: pass\n/)
  expect(told.stdout).toContain(`TXT ${D}  v=spf1 ip4:9.9.9.10 -all`)
  expect(JSON.parse(json.stdout)).toMatchObject({
    tool: 'spf-check',
    subject: D,
    verdict: 'pass',
    lookups: 1,
  })
})

test('exits with 1 on a failure, and prints nothing that a terminal acts on', async () => {
  const { code, stdout } = await tools('spf', 'open.example')
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAIL')])
  expect(stdout).not.toContain('\u001b')
})

test('says what it does not know', async () => {
  const [none, local, help] = await Promise.all([
    tools('nothing', D),
    tools('mx', 'localhost'),
    tools('--help'),
  ])
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('Tools are email, spf')])
  expect([local.code, local.stderr]).toEqual([
    1,
    expect.stringMatching(/not a domain of the public/),
  ])
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--selector')])
})
