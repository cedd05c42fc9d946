import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import type { ConsentSource } from '../../src/domain/consent/consent-event.ts'
import type { Trigger } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { executionsOf, seedFlow } from '../support/seed-flow.ts'
import { insertTopic } from '../support/topics.ts'
import { connectAs } from '../support/logins.ts'

const keyring = parseKeyring(newKeyringText())

let database: TestDatabase
let sql: Sql
let organizationId: Uuid
let ada: Uuid
let bea: Uuid
let news: Uuid
let offers: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'topic-chains', role: 'letterloom_worker', max: 2 })
  ;({ organizationId } = await seedOrganization(database.sql))
  ;[ada = '', bea = ''] = await seedContacts(database.sql, organizationId, 2)
  news = await insertTopic(database.sql, organizationId)
  offers = await insertTopic(database.sql, organizationId)
})
beforeEach(async () => {
  await database.sql`update flows set enabled = false`
  await database.sql`delete from subscriptions`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') })
})
afterAll(async () => {
  vi.useRealTimers()
  await sql.end()
  await database.drop()
})

const flow = (trigger: Trigger) =>
  seedFlow(database.sql, organizationId, { trigger, settings: { allowReentry: true } })
const startsOf = async (flowId: Uuid) => (await executionsOf(database.sql, flowId)).length

const join = (contactId: Uuid, topicId: Uuid, source: ConsentSource = 'workflow') =>
  transact(sql, (tx) =>
    subscriptions.subscribe(tx, organizationId, [{ contactId, topicId }], {
      source,
      addressOf: (email) => addressed(keyring, organizationId, email),
    }),
  )
const leave = (contactId: Uuid, topicId: Uuid, source: ConsentSource = 'workflow') =>
  transact(sql, (tx) =>
    subscriptions.unsubscribe(tx, organizationId, [{ contactId, topicId }], {
      source,
      own: false,
    }),
  )

test('steps that join and leave one topic again and again start a flow once a minute', async () => {
  const joined = await flow({ type: 'topic_subscribed', topicId: news })
  const left = await flow({ type: 'topic_unsubscribed', topicId: news })
  for (let round = 0; round < 3; round++) {
    expect(await join(ada, news)).toMatchObject([{ status: 'subscribed' }])
    expect(await leave(ada, news)).toHaveLength(1)
  }
  expect([await startsOf(joined), await startsOf(left)]).toEqual([1, 1])
  vi.setSystemTime(Date.parse('2026-11-26T12:01:00Z'))
  await join(ada, news)
  await leave(ada, news)
  expect([await startsOf(joined), await startsOf(left)]).toEqual([2, 2])
})

test('each contact and each topic counts apart, and every flow is started', async () => {
  const flows = [await flow({ type: 'topic_subscribed' }), await flow({ type: 'topic_subscribed' })]
  for (const contactId of [ada, bea]) {
    for (const topicId of [news, offers]) await join(contactId, topicId)
  }
  expect(await Promise.all(flows.map(startsOf))).toEqual([4, 4])
})

test('changes by people and callers start a flow as often as they are made', async () => {
  const joined = await flow({ type: 'topic_subscribed', topicId: news })
  await join(ada, news)
  await leave(ada, news)
  for (let round = 0; round < 3; round++) {
    await join(ada, news, 'api')
    await leave(ada, news, 'api')
  }
  expect(await startsOf(joined)).toBe(4)
})
