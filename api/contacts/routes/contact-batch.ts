import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../../src/keys/addresses.ts'
import { allows } from '../../../src/domain/access/access.ts'
import type { ErrorDetail } from '../../../src/domain/errors.ts'
import { type RowFailure, rowFailures, toldFailures } from '../../../src/domain/row-failures.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { ContactsDeleted, ContactsDeletion } from '../../../src/schemas/contacts/contact-change.ts'
import {
  ContactBatchInput,
  ContactBatchResult,
  type ContactBatchRow,
  ContactInput,
} from '../../../src/schemas/contacts/contact.ts'
import { remove } from '../../../src/core/contacts/remove.ts'
import type { UpsertRow } from '../../../src/core/contacts/rows.ts'
import { upsert } from '../../../src/core/contacts/upsert.ts'
import { type Transaction, transact } from '../../../src/store/db/sql.ts'
import { resolveTopics } from '../../../src/core/consent/topic-names.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { rowChecker } from '../../http/row-checks.ts'
import { breather } from '../../../src/runtime/breather.ts'
import { auditResubscription, rowRefusal } from '../contact-outcomes.ts'
import { applyContactRules, refused, unknownTopic } from '../../../src/core/contacts/input-rules.ts'
import type { TenantDeps } from '../../deps.ts'

const tags = ['contacts']
const checkRows = rowChecker(ContactInput)
const writing = { scope: 'contacts' } as const

export const contactBatchRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.post(
    '/v1/contacts/batch',
    {
      config: writing,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'upsertContacts',
        summary: 'Create or update up to 1,000 contacts',
        description:
          'Each row updates the contact with its `externalId`, `email` or `phone`, or creates one. Rows are independent: valid rows are stored if others fail. `active` does not resubscribe a contact who unsubscribed, and the result then has `emailStatusKept`. `smsStatusKept` is the same for a number that opted out of text messages or is invalid.',
        body: ContactBatchInput,
        response: { 200: ContactBatchResult },
      },
    },
    async (request) => {
      const { tx, caller, body, id: requestId } = request
      const { organizationId, scopes } = caller
      const failures = rowFailures('contacts')
      const accepted: UpsertRow[] = []
      const topicsOf = resolver(tx, organizationId)
      const breathe = breather()
      for (const { index, row: input } of await checkRows(request, body.contacts, failures)) {
        await breathe()
        const { values, details = [] } = applyContactRules(input)
        const namedTopics = await topicsOf(input)
        const faults = [...details, ...namedTopics.faults]
        if (values !== undefined && faults.length === 0) {
          const { resubscribe } = input
          accepted.push({ index, values: { ...values, resubscribe }, topicIds: namedTopics.ids })
        } else failures.add(index, refused(faults))
      }
      const { results: settled, resubscribed } = await upsert(tx, organizationId, accepted, {
        addressOf: (email) => addressed(keyring, organizationId, email),
        source: 'api',
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      for (const each of resubscribed) await auditResubscription(tx, request, now, each)
      const storedRows: ContactBatchRow[] = []
      for (const result of settled) {
        if (result.status === 'failed') {
          failures.add(result.index, rowRefusal(result.refusal, caller))
        } else storedRows.push(result)
      }
      const failed = failures.list()
      const results = [...storedRows, ...failed.map(failedRow)].sort((a, b) => a.index - b.index)
      const having = (status: string) => storedRows.filter((row) => row.status === status).length
      return {
        success: failed.length === 0,
        created: having('created'),
        updated: having('updated'),
        failed: failed.length,
        results,
        ...toldFailures('contacts', failed),
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
          'Unknown ids are ignored. `deleted` is the number of deleted contacts. The suppression list keeps their addresses.',
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

const failedRow = ({ index, message }: RowFailure): ContactBatchRow => ({
  index,
  id: null,
  status: 'failed',
  error: message,
})

interface NamedTopics {
  ids: Uuid[]
  faults: ErrorDetail[]
}

function resolver(tx: Transaction, organizationId: Uuid) {
  const topicsByKey = new Map<string, NamedTopics>()
  return async ({ topicIds, topicSlugs }: ContactInput): Promise<NamedTopics> => {
    if (topicIds === undefined && topicSlugs === undefined) return { ids: [], faults: [] }
    const key = JSON.stringify([topicIds, topicSlugs])
    const topics = topicsByKey.get(key) ?? (await look())
    topicsByKey.set(key, topics)
    return topics

    async function look(): Promise<NamedTopics> {
      const { ids, unknown } = await resolveTopics(tx, organizationId, { topicIds, topicSlugs })
      return { ids, faults: unknown.map(unknownTopic) }
    }
  }
}
