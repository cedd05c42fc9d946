import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addToolCommands } from '../../src/main/commands/tool-commands.ts'
import { commandLine } from '../support/command-line.ts'
import { startZoneServer, type ZoneServer } from '../support/zone-server.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const D = 'shop.example'
const execute = promisify(execFile)

let names: ZoneServer
beforeAll(async () => {
  names = await startZoneServer({
    [D]: { TXT: ['v=spf1 ip4:9.9.9.10 -all'], MX: ['10 mx.shop.example'] },
    'mx.shop.example': { A: ['9.9.9.10'] },
    [`_mta-sts.${D}`]: { TXT: ['v=STSv1; id=1'] },
    [`mta-sts.${D}`]: { A: ['127.0.0.1'] },
    'open.example': { TXT: ['v=spf1 +all \u001b[31mred'] },
  })
})
afterAll(() => names.close())

const inThisProcess = commandLine(addToolCommands)
const environment = () => ({ DNS_SERVERS: names.address, NET_ALLOW_PRIVATE: '127.0.0.0/8' })
const tools = (...args: string[]) => inThisProcess(['tools', ...args], { env: environment() })

test('prints the report of the page, and the answer of the API', async () => {
  // By the compiled program.
  const args = [CLI, 'tools', 'spf', D, '--ip', '9.9.9.10']
  const told = await execute(process.execPath, args, { env: { ...process.env, ...environment() } })
  const json = await tools('spf-check', D, '--json')
  expect(told.stderr).toBe('')
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

test('reaches no private address, whatever webhooks may reach', async () => {
  const { code, stdout } = await tools('mta-sts', D, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'fail',
    records: expect.arrayContaining([
      expect.objectContaining({ type: 'HTTPS', values: ['address_refused'] }),
    ]),
  })
})

test('takes an address, a mail in a file, and what a DMARC record should say', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-tools-'))
  const file = join(folder, 'mail.eml')
  await writeFile(file, `From: a@${D}\nDate: Mon, 23 Nov 2026 12:00:00 +0000\n\nHello`)
  const address = await tools('address', `ann@${D}`)
  const headers = await tools('headers', file)
  const mail = await tools('unsubscribe', file)
  const record = await tools('generator', D, '--policy', 'reject', '--reports', `d@${D}`)
  const policy = await tools('generator', D, '--policy', 'block')
  await rm(folder, { recursive: true })
  expect([address.code, address.stdout]).toEqual([
    0,
    expect.stringMatching(/^validate-address ann@/),
  ])
  expect([headers.code, headers.stdout]).toEqual([
    1,
    expect.stringContaining('message-id is missing'),
  ])
  expect([mail.code, mail.stdout]).toEqual([
    1,
    expect.stringContaining('List-Unsubscribe is missing'),
  ])
  expect([record.code, record.stdout]).toEqual([
    0,
    expect.stringContaining(`v=DMARC1; p=reject; rua=mailto:d@${D}`),
  ])
  expect([policy.code, policy.stderr]).toEqual([1, expect.stringContaining('none, quarantine')])
})

test('says what it does not know', async () => {
  const none = await tools('nothing', D)
  const local = await tools('mx', 'localhost')
  const help = await tools('--help')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('Tools are email, spf')])
  expect([local.code, local.stderr]).toEqual([
    1,
    expect.stringMatching(/not a domain of the public/),
  ])
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--selector')])
})
