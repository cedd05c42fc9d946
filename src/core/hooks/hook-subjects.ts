import type { Uuid } from '../../runtime/ids.ts'
import * as batches from '../../store/batches/batches.ts'
import * as topics from '../../store/consent/topics.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as emailLogs from '../../store/delivery/email-logs.ts'
import * as executionViews from '../../store/flows/execution-views.ts'
import type { ToldDelivery } from '../../store/hooks/hook-deliveries.ts'

type Rows<List extends (...args: never[]) => unknown> =
  Awaited<ReturnType<List>> extends readonly (infer Row)[] ? Row : never

/** Present rows that a delivery is about. Undefined: it is about none, or the row is gone. */
export interface HookSubjects {
  contact: Rows<typeof contacts.listEach> | undefined
  mail: Rows<typeof emailLogs.listEach> | undefined
  batch: Rows<typeof batches.listEach> | undefined
  execution: Rows<typeof executionViews.listEach> | undefined
  topic: Rows<typeof topics.listEach> | undefined
}

/** Loads what deliveries are about, with one query for each kind of row. */
export async function loadSubjects(
  sql: Executor,
  deliveries: readonly ToldDelivery[],
): Promise<(delivery: ToldDelivery) => HookSubjects> {
  const [contact, mail, batch, execution, topic] = await Promise.all([
    loaded(keysOf(deliveries, contactOf), (keys) => contacts.listEach(sql, keys)),
    loaded(placesOf(deliveries), (places) => emailLogs.listEach(sql, places)),
    loaded(
      keysOf(deliveries, ({ batchId }) => batchId),
      (keys) => batches.listEach(sql, keys),
    ),
    loaded(
      keysOf(deliveries, ({ executionId }) => executionId),
      (keys) => executionViews.listEach(sql, keys),
    ),
    loaded(
      keysOf(deliveries, ({ topicId }) => topicId),
      (keys) => topics.listEach(sql, keys),
    ),
  ])
  return ({ organizationId, contactId, mailId, batchId, executionId, topicId }) => ({
    contact: contact(organizationId, contactId),
    mail: mail(organizationId, mailId),
    batch: batch(organizationId, batchId),
    execution: execution(organizationId, executionId),
    topic: topic(organizationId, topicId),
  })
}

const contactOf = ({ contactId, executionId }: ToldDelivery): Uuid | null =>
  executionId === null ? contactId : null

const keysOf = (
  deliveries: readonly ToldDelivery[],
  idOf: (delivery: ToldDelivery) => Uuid | null,
) => {
  const keys = new Map<Uuid, { organizationId: Uuid; id: Uuid }>()
  for (const delivery of deliveries) {
    const id = idOf(delivery)
    if (id !== null) keys.set(id, { organizationId: delivery.organizationId, id })
  }
  return [...keys.values()]
}

const placesOf = (deliveries: readonly ToldDelivery[]): emailLogs.MailPlace[] => {
  const places = new Map<Uuid, emailLogs.MailPlace>()
  for (const { organizationId, bucket, mailId: id } of deliveries) {
    if (bucket !== null && id !== null) places.set(id, { organizationId, bucket, id })
  }
  return [...places.values()]
}

async function loaded<Key, Row extends { organizationId: Uuid; id: Uuid }>(
  keys: readonly Key[],
  load: (keys: readonly Key[]) => PromiseLike<readonly Row[]>,
): Promise<(organizationId: Uuid, id: Uuid | null) => Row | undefined> {
  if (keys.length === 0) return () => undefined
  const rows = new Map((await load(keys)).map((row) => [row.id, row]))
  return (organizationId, id) => {
    const row = rows.get(id ?? '')
    return row?.organizationId === organizationId ? row : undefined
  }
}
