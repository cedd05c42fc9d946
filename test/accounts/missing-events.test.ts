import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteMissingEvents } from '../../src/core/accounts/missing-events.ts'
import { noticeText } from '../../src/domain/accounts/notice.ts'
import { noteEvent } from '../../src/store/accounts/connections.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { addMember } from '../support/people.ts'
import { newAccountId, REGION } from '../support/seed.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await addMember(api.sql, api.alice.organizationId, 'owner')
})
afterAll(() => api.close())

/** A connection that heard something, and one that sent something, so many minutes ago. */
async function connect({ heard, sent }: { heard?: number; sent?: number }) {
  const account = { accountId: newAccountId(), region: REGION }
  const { connectionId } = await connectAccount(api.alice, account)
  if (heard !== undefined) await hear(connectionId, heard)
  if (sent !== undefined) await accept(connectionId, sent)
  return connectionId
}

const hear = (connectionId: string, minutes: number) => api.sql`
  update connections
  set last_event_received_at = clock_timestamp() - ${minutes} * interval '1 minute'
  where id = ${connectionId}`
const accept = (connectionId: string, minutes: number) => api.sql`
  insert into answered_counts (organization_id, connection_id, slot, answered, arrived)
  values (${api.alice.organizationId}, ${connectionId},
    clock_timestamp() - ${minutes} * interval '1 minute', 1, 0)`

const look = async () => (await noteMissingEvents(api.sql, 100)).map((each) => each.connectionId)
const shown = async (id: string) => {
  const { body } = await api.alice.get('/v1/connections')
  return body.connections.find((each: { id: string }) => each.id === id).warnings
}
const told = (connectionId: string) => api.sql<{ mails: number }[]>`
  select count(m.*)::int as mails
  from notices n
  join notice_mails m on m.notice_id = n.id
  where n.kind = 'events_missing' and n.subject = ${connectionId}
  group by n.id`

test.each([
  ['mail was accepted, and for 15 minutes nothing was ever heard', { sent: 16 }, true],
  ['the last event is older than the mail', { heard: 40, sent: 16 }, true],
  ['the mail is younger', { heard: 40, sent: 14 }, false],
  ['an event came since', { heard: 10, sent: 16 }, false],
  ['the mail is what the last event was about', { heard: 20, sent: 19.5 }, false],
  ['nothing was sent', { heard: 4_000 }, false],
])('%s', async (_what, given, isMissing) => {
  const id = await connect(given)
  expect(await look()).toEqual(isMissing ? [id] : [])
  const { body } = await api.alice.get(`/v1/account/health/${id}`)
  expect(body.reasons).toEqual(isMissing ? ['events_missing'] : [])
  expect(body.status).toBe(isMissing ? 'at_risk' : 'unknown')
  expect((await shown(id)).includes('events_missing')).toBe(isMissing)
  expect(await told(id)).toEqual(isMissing ? [{ mails: 1 }] : [])
})

test('owners are told once, however many look, and again another day', async () => {
  const id = await connect({ heard: 60, sent: 16 })
  const found = await Promise.all(Array.from({ length: 8 }, look))
  expect(found.flat()).toEqual([id])
  expect(await look()).toEqual([])
  expect(await told(id)).toHaveLength(1)

  // An event ends it at once; the next silence of the day is shown and not told.
  await noteEvent(api.sql, api.alice.organizationId, id)
  expect(await shown(id)).not.toContain('events_missing')
  const later = async (hours: number) => {
    await api.sql`
      update connections
      set last_event_received_at = last_event_received_at - ${hours} * interval '1 hour',
        events_missing_since = events_missing_since - ${hours} * interval '1 hour'
      where id = ${id}`
    await accept(id, 16)
  }
  await later(1)
  expect(await look()).toEqual([id])
  expect(await shown(id)).toContain('events_missing')
  expect(await told(id)).toHaveLength(1)
  await api.sql`
    update notices set period = 'another day' where subject = ${id}`
  await noteEvent(api.sql, api.alice.organizationId, id)
  await later(2)
  await look()
  expect(await told(id)).toHaveLength(2)
})

test('a disconnected account is not looked at', async () => {
  const id = await connect({ sent: 16 })
  await api.alice.delete(`/v1/connections/${id}`)
  expect(await look()).toEqual([])
})

test('the mail says which account, and what to look at', () => {
  const data = { connectionId: 'c', accountNumber: '123456789012', region: 'eu-west-1' }
  const of = (hasQueue: boolean) =>
    noticeText({ kind: 'events_missing', data: { ...data, hasQueue } }, 'Cats Ltd').text
  expect(of(true)).toContain('its queue, and the permission to read it')
  expect(of(false)).toContain('that it may call us')
  for (const text of [of(true), of(false)]) {
    expect(text).toContain('123456789012 (eu-west-1), through which Cats Ltd sends')
    expect(text).toContain('POST /v1/connections/c/verify')
  }
})
