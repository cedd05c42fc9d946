import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../src/addresses.ts'
import { allows } from '../../src/domain/access.ts'
import type { ErrorDetail } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/ids.ts'
import { ContactsDeleted, ContactsDeletion } from '../../src/schemas/contact-change.ts'
import {
  ContactBatchInput,
  ContactBatchResult,
  type ContactBatchRow,
  type ContactInput,
} from '../../src/schemas/contact.ts'
import { remove } from '../../src/store/contact-statements.ts'
import { type UpsertRow, upsert } from '../../src/store/contact-upserts.ts'
import { type Transaction, transact } from '../../src/store/sql.ts'
import * as topics from '../../src/store/topics.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import { breather } from '../../src/breather.ts'
import { auditResubscription } from '../contact-outcomes.ts'
import { applyContactRules, sentence, unknownTopic } from '../contact-rules.ts'
import type { TenantDeps } from '../deps.ts'

const tags = ['contacts']
const writing = { scope: 'contacts' } as const

/** Many contacts in one request. */
export const contactBatchRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.post(
    '/v1/contacts/batch',
    {
      config: writing,
      bodyLimit: LARGE_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'upsertContacts',
        summary: 'Create or update up to 1,000 contacts',
        description:
          'Each row is created, or updates the contact that has its `externalId`, `email` or `phone`. Good rows are kept when others fail. Asking for `active` does not bring back who has left: `emailStatusKept` says so.',
        body: ContactBatchInput,
        response: { 200: ContactBatchResult },
      },
    },
    async (request) => {
      const { tx, caller, body, id: requestId } = request
      const { organizationId, scopes } = caller
      const refused: ContactBatchRow[] = []
      const accepted: UpsertRow[] = []
      const topicsOf = resolver(tx, organizationId)
      const breathe = breather()
      for (const [index, input] of body.contacts.entries()) {
        await breathe()
        const { values, details = [] } = applyContactRules(input)
        const named = await topicsOf(input)
        const faults = [...details, ...named.faults]
        if (values !== undefined && faults.length === 0) {
          const { resubscribe } = input
          accepted.push({ index, values: { ...values, resubscribe }, topicIds: named.ids })
        } else refused.push({ index, id: null, status: 'failed', error: sentence(faults) })
      }
      const { results: kept, resubscribed } = await upsert(tx, organizationId, accepted, {
        addressOf: (email) => addressed(keyring, organizationId, email),
        source: 'api',
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      for (const each of resubscribed) await auditResubscription(tx, request, now, each)
      const results = [...kept, ...refused].sort((a, b) => a.index - b.index)
      const having = (status: string) => results.filter((row) => row.status === status).length
      const failed = having('failed')
      return {
        success: failed === 0,
        created: having('created'),
        updated: having('updated'),
        failed,
        results,
      }
    },
  )

  app.delete(
    '/v1/contacts',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteContacts',
        summary: 'Delete up to 1,000 contacts',
        description:
          'Ids that name none of your contacts are passed over; `deleted` counts the others. The suppression list keeps their addresses.',
        body: ContactsDeletion,
        response: { 200: ContactsDeleted },
      },
    },
    async ({ caller: { organizationId, sql }, body: { ids }, id: requestId }) => {
      const deleted = await transact(sql, (tx) => remove(tx, organizationId, ids, requestId))
      return { success: true as const, deleted }
    },
  )
}

interface NamedTopics {
  ids: Uuid[]
  faults: ErrorDetail[]
}

/** The topics of a row. Most rows of a request name the same: they are looked up once. */
function resolver(tx: Transaction, organizationId: Uuid) {
  const known = new Map<string, NamedTopics>()
  return async ({ topicIds, topicSlugs }: ContactInput): Promise<NamedTopics> => {
    if (topicIds === undefined && topicSlugs === undefined) return { ids: [], faults: [] }
    const key = JSON.stringify([topicIds, topicSlugs])
    const found = known.get(key) ?? (await look())
    known.set(key, found)
    return found

    async function look(): Promise<NamedTopics> {
      const { ids, unknown } = await topics.resolve(tx, organizationId, { topicIds, topicSlugs })
      return { ids, faults: unknown.map(unknownTopic) }
    }
  }
}
