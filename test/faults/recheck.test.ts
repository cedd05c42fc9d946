import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLICY_VERSION } from '../../src/domain/accounts/aws-actions.ts'
import { answered } from '../support/answered.ts'
import { type Api, startApi, tally } from '../support/api.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'
import { sized } from '../support/size.ts'

const CALLERS = sized(10, 50)

let engine: ProviderEngine
let api: Api
let other: ApiProcess
/** Of the API in this process and of another one. */
let urls: string[]

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  await engine.work(api.databaseUrl)
  const env = { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace }
  other = await startApiProcess(api.databaseUrl, env)
  urls = [`http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`, other.url]
  // The first question that a process puts may be too late on a busy machine.
  for (const url of urls) {
    const { id } = await engine.connect(api.alice)
    await answered(() => recheck(url, id))
  }
})
afterAll(async () => {
  await other.stop()
  await api.close()
  await engine.stop()
})

const recheck = (url: string, id: string) =>
  fetch(`${url}/v1/account/console-policy/${id}/recheck`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.alice.key}` },
  })

test('two API processes that recheck one account many times each at once: one probe', async () => {
  const { id, accountId } = await engine.connect(api.alice)
  const asked = async (url: string) => {
    const response = await recheck(url, id)
    const body = (await response.json()) as { version: number | null; rechecked: boolean }
    return { status: response.status, ...body }
  }
  const answers = await Promise.all(
    urls.flatMap((url) => Array.from({ length: CALLERS }, () => asked(url))),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ '200': 2 * CALLERS })
  expect(answers.filter(({ rechecked }) => rechecked)).toHaveLength(1)
  expect(answers.find(({ rechecked }) => rechecked)?.version).toBe(POLICY_VERSION)
  expect((await engine.control.calls(accountId))['iam:GetRolePolicy']).toBe(1)
})

test('two API processes that list many times each at once: each account is asked once', async () => {
  const { accountId } = await engine.connect(api.charlie, {
    identities: [{ identity: 'once.example', verified: true }],
  })
  const answers = await Promise.all(
    urls.flatMap((url) =>
      Array.from({ length: CALLERS }, () =>
        fetch(`${url}/v1/domains`, { headers: { authorization: `Bearer ${api.charlie.key}` } }),
      ),
    ),
  )
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(tally(answers.map(({ status }) => status))).toEqual({ '200': 2 * CALLERS })
  expect(bodies.every((body) => body.includes('once.example'))).toBe(true)
  expect((await engine.control.calls(accountId))['ses:ListEmailIdentities']).toBe(1)
})
