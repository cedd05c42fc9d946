import type { Addressed } from '../domain/address.ts'
import type { Uuid } from '../ids.ts'
import * as consent from './consent.ts'
import { type Executor, type Sql, type Transaction, transact } from './sql.ts'
import * as subscriptions from './subscriptions.ts'

/** What a link says of the person who leaves. */
export interface Leaving {
  contactId: Uuid
  /** Of the address that was mailed: first 16 bytes of SHA-256(organization id, address). */
  addressHash: Buffer
  /** The same as the suppression list knows it. */
  mailed: Addressed
  /** Absent, or of a topic that is no more: all mail. */
  topicId?: Uuid | undefined
  /** Whose mail it was: it counts each person once. */
  batchId?: Uuid | undefined
  addressOf: (email: string) => Addressed
  requestId?: string | undefined
}

/** Tries when the contact gets another address while it leaves. */
const MOST_TRIES = 5
/** Contacts of one statement, some 50 ms. */
const LOOKED_AT_ONCE = 20_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * The person leaves a topic or all mail, and so it is when this returns: the contact of the link
 * whatever address it has by now, and the address that was mailed whoever has it by now. Where the
 * two are not one any more a topic's link leaves all mail of that address: nothing less can be said
 * of an address alone. Answers the contacts that were acted on.
 */
export async function leave(sql: Sql, organizationId: Uuid, leaving: Leaving): Promise<Uuid[]> {
  const acted = new Set([leaving.contactId])
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const left = await transact(sql, (tx) => leaveOnce(tx, organizationId, leaving))
    for (const contactId of left.contactIds) acted.add(contactId)
    if (left.unspelt) {
      for (const contactId of await leaveUnspelt(sql, organizationId, leaving)) acted.add(contactId)
    }
    if (left.settled) break
  }
  return [...acted]
}

interface Left {
  contactIds: Uuid[]
  /** False: the contact got another address meanwhile, which is to be acted on as well. */
  settled: boolean
  /** The address is listed, but nobody knew how it is spelt, nor so who else has it. */
  unspelt: boolean
}

async function leaveOnce(tx: Transaction, organizationId: Uuid, leaving: Leaving): Promise<Left> {
  const { contactId, mailed, addressOf, requestId } = leaving
  const email = await findEmail(tx, organizationId, contactId)
  const own = email === null ? null : addressOf(email)
  const topicId = await findTopic(tx, organizationId, leaving.topicId)
  const isSame = own !== null && same(own, mailed)
  const spelt = isSame ? own : await spell(tx, organizationId, leaving)

  const addresses: Addressed[] = []
  if (!isSame || topicId === undefined) addresses.push(spelt ?? mailed)
  if (!isSame && topicId === undefined && own !== null) addresses.push(own)
  const raised = await raise(tx, organizationId, addresses, requestId)
  const pairs = topicId === undefined ? [] : [{ contactId, topicId }]
  const options = { source: 'link', own: true, addressOf, requestId } as const
  const ended = await subscriptions.unsubscribe(tx, organizationId, pairs, options)

  const contactIds = [...raised, ...ended].map((each) => each.contactId)
  const settled = (await lockEmail(tx, organizationId, contactId)) === email
  if (contactIds.length > 0 && leaving.batchId !== undefined) {
    await count(tx, organizationId, leaving.batchId)
  }
  return { contactIds, settled, unspelt: spelt === null }
}

/**
 * Whoever has an address that is known by its hash alone: for links whose contact is gone and whose
 * mail is no longer kept. It looks at every contact, after the entry was committed: one that comes
 * later finds the entry itself.
 */
async function leaveUnspelt(sql: Sql, organizationId: Uuid, leaving: Leaving): Promise<Uuid[]> {
  const email = await findByHash(sql, organizationId, leaving.addressHash)
  if (email === undefined) return []
  const address = leaving.addressOf(email)
  const raised = await transact(sql, (tx) =>
    raise(tx, organizationId, [address], leaving.requestId),
  )
  return raised.map(({ contactId }) => contactId)
}

/** Page by page: a million contacts take longer than a statement of the API may. */
async function findByHash(
  sql: Sql,
  organizationId: Uuid,
  hash: Buffer,
): Promise<string | undefined> {
  let after: Uuid | null = BEFORE_ALL
  while (after !== null) {
    const [page]: { email: string | null; last: Uuid | null }[] = await sql`
      with page as materialized (
        select id, email
        from contacts
        where organization_id = ${organizationId} and id > ${after}
        order by id
        limit ${LOOKED_AT_ONCE}
      )
      select (
          select email
          from page
          where email is not null
            and substring(sha256(convert_to(${organizationId} || email, 'UTF8')) for 16) = ${hash}
        ) as email,
        (select id from page order by id desc limit 1) as last`
    if (typeof page?.email === 'string') return page.email
    after = page?.last ?? null
  }
  return undefined
}

const raise = (
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
  requestId: string | undefined,
) =>
  consent.raise(
    tx,
    organizationId,
    addresses.map((address) => ({ address, status: 'unsubscribed', source: 'link', own: true })),
    requestId,
  )

const same = (a: Addressed, b: Addressed): boolean => a.keys[0].key === b.keys[0].key

async function findEmail(sql: Executor, organizationId: Uuid, id: Uuid): Promise<string | null> {
  const [contact] = await sql<{ email: string | null }[]>`
    select email
    from contacts
    where organization_id = ${organizationId} and id = ${id}`
  return contact?.email ?? null
}

async function lockEmail(tx: Transaction, organizationId: Uuid, id: Uuid): Promise<string | null> {
  const [contact] = await tx<{ email: string | null }[]>`
    select email
    from contacts
    where organization_id = ${organizationId} and id = ${id}
    for no key update`
  return contact?.email ?? null
}

async function findTopic(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid | undefined,
): Promise<Uuid | undefined> {
  if (id === undefined) return undefined
  const [topic] = await sql<{ id: Uuid }[]>`
    select id
    from topics
    where organization_id = ${organizationId} and id = ${id}`
  return topic?.id
}

/** How the address that was mailed is spelt, as the mail itself or the list remembers it. */
async function spell(
  sql: Executor,
  organizationId: Uuid,
  { contactId, batchId, mailed, addressOf }: Leaving,
): Promise<Addressed | null> {
  const keys = mailed.keys.map(({ key }) => key)
  const [listed] = await sql<{ address: string | null }[]>`
    select address
    from suppressions
    where organization_id = ${organizationId} and address is not null
      and address_key in (select decode(key, 'hex') from unnest(${keys}::text[]) as key)`
  if (typeof listed?.address === 'string') return addressOf(listed.address)
  if (batchId === undefined) return null
  const [batch] = await sql<{ bucket: Uuid | null }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  if (!batch?.bucket) return null
  const [mail] = await sql<{ recipient: string | null }[]>`
    select recipient
    from messages
    where organization_id = ${organizationId} and bucket = ${batch.bucket}
      and dedupe_key = ${contactId}`
  if (typeof mail?.recipient !== 'string') return null
  const address = addressOf(mail.recipient)
  return same(address, mailed) ? address : null
}

const count = (tx: Transaction, organizationId: Uuid, batchId: Uuid) => tx`
  update batches
  set unsubscribed = unsubscribed + 1
  where organization_id = ${organizationId} and id = ${batchId}`
