import type { Uuid } from '../../runtime/ids.ts'
import type { Audience } from '../../domain/audience/audience.ts'
import { isIn } from '../audience/audience.ts'
import type { Executor, Part } from '../db/sql.ts'
import type { FreezingBatch, Run } from './batch-runs.ts'

/** A batch with its audience, before its next page. */
export type PageToFreeze = FreezingBatch & { bucket: Uuid; audience: Audience }

/** Selects up to `size` next contacts of the audience in the order of their ids. */
export const nextContacts = (
  sql: Executor,
  { organizationId }: Run,
  { audience, cursor: after }: PageToFreeze,
  { size, more = sql`` }: { size: number; more?: Part },
): Part => sql`
  select id, email ${more}
  from contacts
  where ${isIn(sql, organizationId, audience, { after })}
  order by id
  limit ${size}`

/**
 * Writes rows of the ledger. `placed` is a relation of contacts, each with its `email`, its `place`
 * from 0 in the batch, and what `also` names besides.
 */
export const insertRows = (
  sql: Executor,
  { organizationId, batchId }: Run,
  { bucket, connectionId }: PageToFreeze,
  { placed, also = sql`` }: { placed: Part; also?: Part },
): Part => sql`
  insert into messages (organization_id, bucket, id, dedupe_key, source, batch_id, connection_id,
    contact_id, recipient ${also})
  select ${organizationId}::uuid, ${bucket}::uuid,
    (left(${bucket}, 28) || lpad(to_hex(place), 8, '0'))::uuid,
    id, 'batch', ${batchId}::uuid, ${connectionId}::uuid, id, email ${also}
  from ${placed}
  order by place`
