import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFlowScheduleActivities } from '../../activities/flows/flow-schedules.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { EMAIL_STATUSES } from '../../src/domain/status.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { seedTriggered } from '../support/scheduled-flows.ts'
import { seed } from '../support/size.ts'
import { insertTopic } from '../support/topics.ts'

/**
 * Everything that asks for contacts is asked about one random population, and each gets those whom
 * plain JavaScript finds in it.
 */
const PEOPLE = 300
const TOPICS = 3
/** The third topic has no subscribers. */
const SUBSCRIBED_TOPICS = 2

interface Person {
  id: Uuid
  email: string | null
  phone: string
  emailStatus: string | null
  smsStatus: string
  preferredChannel: string | null
  createdAt: string
  /** By topic; null: no subscription. */
  subscriptions: (string | null)[]
}

const years = [2020, 2021, 2022, 2023]
const person = fc.record({
  hasEmail: fc.boolean(),
  emailStatus: fc.constantFrom(null, 'active', 'active', 'active', ...EMAIL_STATUSES),
  smsStatus: fc.constantFrom('pending_consent', 'opted_in'),
  preferredChannel: fc.constantFrom(null, 'email', 'sms'),
  year: fc.constantFrom(...years),
  subscriptions: fc.array(fc.constantFrom(null, 'pending', 'subscribed', 'unsubscribed'), {
    minLength: SUBSCRIBED_TOPICS,
    maxLength: SUBSCRIBED_TOPICS,
  }),
})

const created = fc.sample(person, { numRuns: PEOPLE, seed }).map(
  ({ hasEmail, year, ...each }, n): Person => ({
    ...each,
    id: uuidv7(),
    email: hasEmail ? `${n % 2 === 0 ? 'even' : 'odd'}-${n}@example.com` : null,
    phone: `+491510000${String(n).padStart(4, '0')}`,
    createdAt: `${year}-06-01T00:00:00.000Z`,
  }),
)
const people = created.toSorted((one, other) => (one.id < other.id ? -1 : 1))

let api: Api
let topicIds: Uuid[]
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  topicIds = await populate(api.alice.organizationId, people)
  // Another organization's people are the same, and nobody ever sees them.
  await populate(
    api.charlie.organizationId,
    people.map((each) => ({ ...each, id: uuidv7() })),
  )
})
afterAll(() => api.close())

async function populate(organizationId: Uuid, contacts: readonly Person[]): Promise<Uuid[]> {
  const rows = contacts.map(({ subscriptions: _subscriptions, ...contact }) => ({
    organizationId,
    ...contact,
  }))
  await api.sql`insert into contacts ${api.sql(rows)}`
  const topics: Uuid[] = []
  for (let n = 0; n < TOPICS; n++) topics.push(await insertTopic(api.sql, organizationId))
  const subscriptions = contacts.flatMap(({ id: contactId, subscriptions }) =>
    subscriptions.flatMap((status, n) =>
      status === null ? [] : [{ organizationId, contactId, topicId: topics[n]!, status }],
    ),
  )
  await api.sql`insert into subscriptions ${api.sql(subscriptions)}`
  return topics
}

const subscribersOf = (topic: number | undefined) => (each: Person) =>
  topic === undefined || each.subscriptions[topic] === 'subscribed'
const isMailable = ({ email, emailStatus }: Person) => email !== null && emailStatus === 'active'
const idsOf = (some: readonly Person[]) => some.map(({ id }) => id)

const half = people.filter((_, n) => n % 2 === 0)
test.each([
  ['all', undefined, people],
  ['all', 0, people],
  ['topic', 0, people],
  ['topic', 1, people],
  ['topic', 2, people],
  ['contacts', undefined, half],
  ['contacts', 1, half],
] as const)('a batch to %s, topic %s, is estimated and frozen', async (audienceType, topic, of) => {
  const expected = idsOf(of.filter(subscribersOf(topic)).filter(isMailable))
  const batch = await api.alice.post('/v1/batch', {
    audienceType,
    ...(topic === undefined ? {} : { topicId: topicIds[topic] }),
    ...(audienceType === 'contacts' ? { contactIds: idsOf(half).toReversed() } : {}),
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
  })
  expect([batch.status, batch.body.totalRecipients]).toEqual([201, expected.length])
  expect(await frozen(batch.body.id), `seed ${seed}`).toEqual(expected)
})

/** The contacts of a batch in the order in which they are mailed, frozen in pages of 37. */
async function frozen(batchId: Uuid): Promise<Uuid[]> {
  const { organizationId } = api.alice
  const run = { organizationId, batchId, attempt: 1, pageSize: 37, chunkSize: 10 }
  for (;;) {
    const page = await freezePage(api.sql, run)
    if (page?.complete === false) continue
    const rows = await api.sql<{ contactId: Uuid }[]>`
      select contact_id
      from messages
      where organization_id = ${organizationId} and bucket = ${page?.bucket ?? null}
      order by id`
    return rows.map(({ contactId }) => contactId)
  }
}

const filtered = fc.record({
  topic: fc.option(fc.nat({ max: TOPICS - 1 }), { nil: undefined }),
  search: fc.constantFrom('', '', 'even-', '+4915', 'od'),
  createdAfter: fc.constantFrom('', '', '2020-06-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'),
  columns: fc.record(
    {
      emailStatus: fc.constantFrom('active', 'bounced'),
      smsStatus: fc.constantFrom('pending_consent', 'opted_in'),
      preferredChannel: fc.constantFrom('email', 'sms'),
    },
    { requiredKeys: [] },
  ),
})
const filters = fc.sample(filtered, { numRuns: 40, seed })

test.each(filters)(
  'a list, its total and an export have those that fit $columns, topic $topic, search "$search", created after "$createdAfter"',
  async ({ topic, search, createdAfter, columns }) => {
    const expected = people
      .filter(subscribersOf(topic))
      .filter(({ email, phone }) => email?.includes(search) === true || phone.includes(search))
      .filter((each) => each.createdAt > createdAfter)
      .filter((each) =>
        Object.entries(columns).every(([key, value]) => each[key as keyof Person] === value),
      )
    const ids = idsOf(expected).toReversed()
    const asked = new URLSearchParams({
      ...columns,
      ...(topic === undefined ? {} : { topicId: topicIds[topic]! }),
      ...(search === '' ? {} : { search }),
      ...(createdAfter === '' ? {} : { createdAfter }),
    }).toString()
    const { body } = await api.alice.get(`/v1/contacts?pageSize=1&${asked}`)
    expect([body.total, body.totalIsExact]).toEqual([ids.length, true])
    const listed: Uuid[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await api.alice.get(`/v1/contacts?pageSize=100&${asked}${after}`)
      listed.push(...body.contacts.map(({ id }: { id: Uuid }) => id))
      cursor = body.nextCursor
    }
    expect(listed).toEqual(ids)
    const { text } = await api.alice.get(`/v1/contacts/export?format=ndjson&${asked}`)
    const exported = text.split('\n').filter((line) => line !== '')
    expect(exported.map((line) => JSON.parse(line).id)).toEqual(ids)
  },
)

test('a topic has as many subscribers as the list that it filters', async () => {
  for (const [n, id] of topicIds.entries()) {
    const { body } = await api.alice.get(`/v1/topics/${id}`)
    expect(body.subscribedCount).toBe(people.filter(subscribersOf(n)).length)
  }
})

test('a schedule starts its workflow for all who were there, whatever may be sent to them', async () => {
  const { organizationId } = api.alice
  const { fireSchedulePage } = createFlowScheduleActivities({ sql: api.sql, schedulePage: 37 })
  const trigger = { type: 'schedule', cron: '0 4 * * *', timezone: 'UTC' } as const
  const flowId = await seedTriggered(api.sql, organizationId, trigger)
  const firedFor = '2022-06-01T00:00:00.000Z'
  for (let after: Uuid | null = null; ; ) {
    const page = await fireSchedulePage({ organizationId, flowId, firedFor, after })
    if (page.isLast) break
    after = page.after
  }
  const rows = await api.sql<{ contactId: Uuid }[]>`
    select contact_id from executions where flow_id = ${flowId} order by contact_id`
  expect(
    rows.map(({ contactId }) => contactId),
    `seed ${seed}`,
  ).toEqual(idsOf(people.filter(({ createdAt }) => createdAt <= firedFor)))
})

test('a filter that exports cannot follow is refused, not passed over', async () => {
  for (const given of [`topicId=${uuidv7()}`, `segmentId=${uuidv7()}`]) {
    const { status, body } = await api.alice.get(`/v1/contacts/export?${given}`)
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  }
})
