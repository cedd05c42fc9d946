import { addressed } from '../../src/keys/addresses.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import { type Keyring, type Link, readLink } from '../../src/keys/tokens.ts'
import { seedContacts, type Seeded, seedOrganization } from './seed.ts'

export interface Asked {
  contactId: Uuid
  topicId: Uuid
  generation: number
}

/** An organization whose topics need confirmation, and the states of confirmations. */
export async function seedConfirmations(sql: Sql, keyring: Keyring, seeded?: Seeded) {
  const { organizationId, connectionId } = seeded ?? (await seedOrganization(sql))
  const addressOf = (email: string) => addressed(keyring, organizationId, email)

  async function subscribe(
    contactIds: readonly Uuid[],
    topicId: Uuid,
    more: { cohort?: Uuid; willing?: boolean } = {},
  ) {
    const pairs = contactIds.map((contactId) => ({ contactId, topicId }))
    return transact(sql, (tx) =>
      subscriptions.subscribe(tx, organizationId, pairs, { source: 'api', addressOf, ...more }),
    )
  }

  async function row(contactId: Uuid, topicId: Uuid) {
    const [subscription] = await sql<
      {
        status: string
        generation: number
        mails: number
        mailId: Uuid | null
        cohort: Uuid | null
      }[]
    >`
      select status, generation, mails, mail_id, cohort
      from subscriptions
      where contact_id = ${contactId} and topic_id = ${topicId}`
    return subscription
  }

  return {
    organizationId,
    connectionId,
    addressOf,
    subscribe,
    row,
    contacts: (count: number) => seedContacts(sql, organizationId, count),
    contact: async (columns: Record<string, unknown> = {}) => {
      const id = uuidv7()
      const email = `${id}@example.com`
      await sql`insert into contacts ${sql({ organizationId, id, email, emailStatus: 'active', ...columns })}`
      return { id, email }
    },
    topic: async (columns: Record<string, unknown> = {}) => {
      const id = uuidv7()
      const name = `News ${id.slice(-6)}`
      await sql`insert into topics ${sql({
        organizationId,
        id,
        name,
        slug: id,
        doubleOptIn: true,
        fromAddress: 'news@example.com',
        connectionId,
        ...columns,
      })}`
      return id
    },
    /** Asks one contact. Returns the key of the confirmation. */
    ask: async (contactId: Uuid, topicId: Uuid): Promise<Asked> => {
      await subscribe([contactId], topicId, { willing: true })
      const subscription = await row(contactId, topicId)
      return { contactId, topicId, generation: subscription?.generation ?? 0 }
    },
    /** Mails in the queue to a contact, oldest first, with their links. */
    mails: async (contactId: Uuid) => {
      const mails = await sql<
        {
          id: Uuid
          state: string
          recipient: string
          subject: string
          text: string
          html: string
        }[]
      >`
        select m.id, m.state, m.recipient, m.subject, b.text, b.html
        from messages m
        join message_bodies b on b.organization_id = m.organization_id and b.bucket = m.bucket
          and b.id = m.id
        where m.organization_id = ${organizationId} and m.contact_id = ${contactId}
          and m.source = 'confirmation'
        order by m.id`
      return mails.map((mail) => ({ ...mail, token: tokenOf(mail.text) }))
    },
    /** Kinds of a contact's consent events, in order. */
    record: async (contactId: Uuid) => {
      const events = await sql<{ kind: string }[]>`
        select kind from consent_events where contact_id = ${contactId} order by created_at, id`
      return events.map(({ kind }) => kind)
    },
    linkOf: (token: string): Link | undefined => readLink(keyring, 'confirm', token, 0),
  }
}

export type SeededConfirmations = Awaited<ReturnType<typeof seedConfirmations>>

export const tokenOf = (text: string): string => /\/confirm\/([\w-]+)/.exec(text)?.[1] ?? ''
