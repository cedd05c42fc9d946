import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addressHash, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, startApi, tally } from '../support/api.ts'
import { seedContacts } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const PEOPLE = sized(400, 10_000)
const AT_ONCE = 24

let api: Api
let port: number
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(async () => {
  agent.destroy()
  await api.close()
})

const post = (token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const call = request(
      { agent, host: '127.0.0.1', port, path: `/unsubscribe/${token}`, method: 'POST', headers },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    call.on('error', reject)
    call.end('List-Unsubscribe=One-Click')
  })

it('hundreds of people leave from one address at once, as a mail provider posts for them', async () => {
  const { organizationId } = api.alice
  const ids = await seedContacts(api.sql, organizationId, PEOPLE)
  const tokens = ids.map((contactId, index) =>
    signUnsubscribe(api.deps.keyring, {
      organizationId,
      contactId,
      addressHash: addressHash(organizationId, `reader-${index + 1}@example.com`),
    }),
  )
  const waiting = [...tokens]
  const statuses: number[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let token = waiting.pop(); token; token = waiting.pop()) statuses.push(await post(token))
    }),
  )
  // Many times what an address may otherwise in an hour, let alone in the minute that this takes.
  console.log(`${PEOPLE} people left in ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  expect(tally(statuses)).toEqual({ 200: PEOPLE })
  const [left] = await api.sql<{ people: number; listed: number }[]>`
    select (select count(*) from contacts
        where organization_id = ${organizationId} and email_status = 'unsubscribed') as people,
      (select count(*) from suppressions where organization_id = ${organizationId}) as listed`
  expect(left).toEqual({ people: PEOPLE, listed: PEOPLE })
}, 300_000)
