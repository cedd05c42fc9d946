import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNT, type Fixture, REGION, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())
beforeEach(() => sandbox.control.clear())

const sendTo = (address: string, tags: Record<string, string> = {}) =>
  sandbox.send({
    Destination: { ToAddresses: [address] },
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  })

describe('counts', () => {
  test('find who got a batch twice, and nobody else', async () => {
    await sendTo('ada@example.com', { 'letterloom-batch': 'b1', 'letterloom-message': 'm_1' })
    await sendTo('ada@example.com', { 'letterloom-batch': 'b1', 'letterloom-message': 'm_1' })
    await sendTo('bob@example.com', { 'letterloom-batch': 'b1', 'letterloom-message': 'm_2' })
    await sendTo('ada@example.com', { 'letterloom-batch': 'b2', 'letterloom-message': 'm_3' })
    expect(await sandbox.control.counts({ batch: 'b1' })).toEqual({
      accepted: 3,
      unique: 2,
      duplicates: 1,
      recipients: [{ recipient: 'ada@example.com', count: 2 }],
    })
    expect(await sandbox.control.counts({ batch: 'b2' })).toMatchObject({ duplicates: 0 })
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 4, unique: 3, duplicates: 1 })
    expect(await sandbox.control.counts({ account: '999999999999' })).toMatchObject({ accepted: 0 })
  })

  test('outside batches go by the message tag, and untagged mail is never twice', async () => {
    await sendTo('ada@example.com', { 'letterloom-message': 'm_1' })
    await sendTo('ada@example.com', { 'letterloom-message': 'm_2' })
    await sendTo('ada@example.com')
    await sendTo('ada@example.com')
    expect(await sandbox.control.counts({ account: ACCOUNT })).toMatchObject({
      accepted: 4,
      duplicates: 0,
    })
    await sendTo('ada@example.com', { 'letterloom-message': 'm_2' })
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 5, duplicates: 1 })
  })

  test('are the same after a restart, and zero after a reset', async () => {
    await Promise.all(Array.from({ length: 25 }, (_, n) => sendTo(`r${n}@example.com`)))
    await sandbox.restart()
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 25, duplicates: 0 })
    await sandbox.control.clear()
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 0 })
    await sendTo('ada@example.com')
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 1 })
  })
})

test('mails come in pages, newest first, and are found', async () => {
  for (let n = 0; n < 7; n++) await sendTo(`r${n}@example.com`, { 'letterloom-batch': `b${n % 2}` })
  const first = await sandbox.control.mails({ limit: 4 })
  const second = await sandbox.control.mails({ limit: 4, cursor: first.cursor ?? '' })
  const names = [...first.mails, ...second.mails].map(({ recipient }) => recipient)
  expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `r${n}@example.com`))
  expect(second.cursor).toBeNull()
  expect((await sandbox.control.mails({ search: 'R3@' })).mails).toHaveLength(1)
  expect((await sandbox.control.mails({ search: '%' })).mails).toHaveLength(0)
  expect((await sandbox.control.mails({ batch: 'b1', account: ACCOUNT })).mails).toHaveLength(3)
})

test('an account is changed in part and kept', async () => {
  const before = await sandbox.control.account(ACCOUNT)
  await sandbox.control.putAccount(ACCOUNT, { maxSendRate: 77 })
  await sandbox.restart()
  expect(await sandbox.control.account(ACCOUNT, REGION)).toEqual({ ...before, maxSendRate: 77 })
  await sandbox.control.putAccount(ACCOUNT, { region: 'us-east-1', maxSendRate: 5 })
  expect((await sandbox.control.account(ACCOUNT, REGION)).maxSendRate).toBe(77)
  const regions = (await sandbox.control.accounts()).map(({ region }) => region)
  expect(regions.toSorted()).toEqual([REGION, 'us-east-1'])
  await expect(sandbox.control.putAccount('123', {})).rejects.toThrow(/400/)
  await expect(sandbox.control.account('999999999999')).rejects.toThrow(/404/)
})

describe('the control routes', () => {
  const call = (method: string, path: string, headers: Record<string, string>, body = '') =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: sandbox.port, method, path, headers },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      sent.once('error', reject)
      sent.end(body)
    })

  test('refuse a host name that is not the loopback address', async () => {
    for (const path of ['/_sandbox/faults', '/', '/status', '/mails/x']) {
      expect(await call('GET', path, { host: `evil.example:${sandbox.port}` })).toBe(403)
      expect(await call('GET', path, { host: '127.0.0.1.evil.example' })).toBe(403)
    }
    expect(await call('GET', '/', { host: `localhost:${sandbox.port}` })).toBe(200)
    expect(await call('GET', '/', { host: `[::1]:${sandbox.port}` })).toBe(200)
  })

  test('take JSON only, so that no form of another page turns a switch', async () => {
    const body = '{"suspended":true}'
    expect(await call('PUT', '/_sandbox/faults', { 'content-type': 'text/plain' }, body)).toBe(415)
    expect((await sandbox.control.faults()).suspended).toBe(false)
    expect(await call('GET', '/_sandbox/nothing', {})).toBe(404)
  })
})
