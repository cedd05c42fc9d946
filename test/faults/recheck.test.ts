import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLICY_VERSION } from '../../src/domain/accounts/aws-actions.ts'
import { type Api, startApi, tally } from '../support/api.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

const CALLERS = 50

let engine: ProviderEngine
let api: Api
let processes: ApiProcess[]

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi()
  await engine.work(api.databaseUrl)
  const env = { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace }
  processes = await Promise.all([1, 2].map(() => startApiProcess(api.databaseUrl, env)))
})
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await api.close()
  await engine.stop()
})

test('two API processes that recheck one account 50 times each at once: one probe', async () => {
  const { id, accountId } = await engine.connect(api.alice)
  const recheck = async ({ url }: ApiProcess) => {
    const response = await fetch(`${url}/v1/account/console-policy/${id}/recheck`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.alice.key}` },
    })
    const body = (await response.json()) as { version: number | null; rechecked: boolean }
    return { status: response.status, ...body }
  }
  const answers = await Promise.all(
    processes.flatMap((each) => Array.from({ length: CALLERS }, () => recheck(each))),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ '200': 2 * CALLERS })
  expect(answers.filter(({ rechecked }) => rechecked)).toHaveLength(1)
  expect(answers.find(({ rechecked }) => rechecked)?.version).toBe(POLICY_VERSION)
  expect((await engine.control.calls(accountId))['iam:GetRolePolicy']).toBe(1)
})

test('two API processes that list 50 times each at once: each account is asked once', async () => {
  const { accountId } = await engine.connect(api.charlie, {
    identities: [{ identity: 'once.example', verified: true }],
  })
  const answers = await Promise.all(
    processes.flatMap(({ url }) =>
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
