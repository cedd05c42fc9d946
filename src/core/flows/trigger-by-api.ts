import { AppError, badRequest, conflict, forbidden, notFound } from '../../domain/errors.ts'
import { writeProperties } from '../../domain/contacts/properties.ts'
import { normalAddress } from '../../domain/text.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { TriggerInput, TriggerRow } from '../../schemas/flows/execution.ts'
import * as namedContacts from '../../store/contacts/named-contacts.ts'
import { type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import { findFlow, type TriggerableFlow } from '../../store/flows/api-triggers.ts'
import { bump } from '../../store/flows/counters.ts'
import type { Start } from '../../store/flows/starts.ts'
import { missing } from '../access/ownership.ts'
import { admit } from './admission.ts'

function refuseFlow({ enabled, triggerType }: TriggerableFlow): AppError | undefined {
  if (triggerType !== 'api') {
    const message = `This workflow is started by its trigger, ${triggerType}, and not by the API`
    return conflict(message, { reason: 'workflow_not_api' })
  }
  if (enabled) return undefined
  return conflict('This workflow is disabled', { reason: 'workflow_disabled' })
}

export class NotAdmitted extends AppError {
  readonly flowId: Uuid
  constructor(flowId: Uuid) {
    const message =
      'The re-entry, re-entry delay or cooldown of the workflow does not admit this contact now'
    super('CONFLICT', message, { reason: 'not_admitted' })
    this.flowId = flowId
  }
}

export const countDropped = (sql: Sql, organizationId: Uuid, flowId: Uuid): Promise<void> =>
  transact(sql, (tx) => bump(tx, organizationId, [{ flowId, counter: 'dropped', by: 1 }]))

/**
 * Starts the flow with this id or slug for one contact. Throws a refusal, which is NotAdmitted if
 * the flow's settings do not admit the contact now.
 */
export async function triggerOne(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
  { data: given = {}, ...row }: TriggerInput,
  requestId: string,
): Promise<{ flow: TriggerableFlow; contactId: Uuid; executionId: Uuid }> {
  const invalid = refuseRow(row)
  if (invalid) throw invalid
  const data = storedData(given)
  if (data instanceof AppError) throw data
  const flow = await loadFlow(tx, organizationId, idOrSlug)
  const [contactId] = await namedContacts.findAll(tx, organizationId, [namedContact(row)])
  if (contactId === undefined) {
    throw await missing(tx, 'contact', organizationId, row.contactId ?? '')
  }
  const refusal = refuseFlow(flow)
  if (refusal) throw refusal
  const start = { flow, contactId, data, dedupeKey: uuidv7() }
  const [admission] = await admit(tx, organizationId, [start], requestId)
  if (admission?.outcome === 'gone') throw notFound('Contact')
  if (admission?.outcome !== 'started') throw new NotAdmitted(flow.id)
  return { flow, contactId, executionId: admission.executionId }
}

async function loadFlow(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TriggerableFlow> {
  const flow = await findFlow(tx, organizationId, idOrSlug)
  return flow ?? Promise.reject(await missing(tx, 'flow', organizationId, idOrSlug))
}

function refuseRow({ contactId, contactEmail }: TriggerRow): AppError | undefined {
  if (contactId !== undefined || contactEmail !== undefined) return undefined
  const details = [{ path: 'contactId', message: 'or contactEmail is required' }]
  return badRequest('contactId or contactEmail is required', details, 'contact_needed')
}

/** Returns the data of an execution in stored form. Throws if it cannot be stored. */
function storedData(data: Record<string, unknown>): Record<string, unknown> | AppError {
  const writtenProperties = writeProperties(data)
  if (writtenProperties.refusal === undefined) return writtenProperties.properties
  const message = writtenProperties.refusal
  return badRequest(`data ${message}`, [{ path: 'data', message }], 'data_refused')
}

const namedContact = ({ contactId, contactEmail }: TriggerRow): namedContacts.NamedContact => ({
  id: contactId,
  email: contactEmail && normalAddress(contactEmail),
})

interface Outcome {
  executions: { contactId: Uuid; executionId: Uuid }[]
  refusals: { index: number; refusal: AppError }[]
}

interface TriggerMany {
  /** Rows of the request that fit their schema. `index`: their position in it. */
  rows: readonly { index: number; row: TriggerRow }[]
  /** Data for all contacts. A row's own data takes precedence. */
  data: Record<string, unknown> | undefined
}

/**
 * Starts the flow with this id or slug for many contacts. Each refusal concerns one row. The first
 * of rows with the same contact counts.
 */
export async function triggerMany(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
  { rows, data: common = {} }: TriggerMany,
  requestId: string,
): Promise<Outcome> {
  const flow = await loadFlow(tx, organizationId, idOrSlug)
  const contactIds = await namedContacts.findAll(
    tx,
    organizationId,
    rows.map(({ row }) => namedContact(row)),
  )
  const lost = rows.flatMap(({ row: { contactId } }, i) =>
    contactIds[i] === undefined && contactId !== undefined && isUuid(contactId) ? [contactId] : [],
  )
  const foreign = await namedContacts.listForeign(tx, organizationId, lost)
  const closed = refuseFlow(flow)
  const refusals: Outcome['refusals'] = []
  const requestedStarts: { index: number; start: Start }[] = []
  const seenContacts = new Set<Uuid>()
  for (const [i, { index, row }] of rows.entries()) {
    const contactId = contactIds[i]
    if (contactId === undefined) {
      refusals.push({ index, refusal: refuseRow(row) ?? refuseContact(row, foreign) })
      continue
    }
    if (seenContacts.has(contactId)) continue
    seenContacts.add(contactId)
    const data = closed ?? storedData({ ...common, ...row.data })
    if (data instanceof AppError) refusals.push({ index, refusal: data })
    else requestedStarts.push({ index, start: { flow, contactId, data, dedupeKey: uuidv7() } })
  }
  const admissions = await admit(
    tx,
    organizationId,
    requestedStarts.map(({ start }) => start),
    requestId,
  )
  const executions: Outcome['executions'] = []
  for (const [i, { index, start }] of requestedStarts.entries()) {
    const admission = admissions[i]
    if (admission?.outcome === 'started') {
      executions.push({ contactId: start.contactId, executionId: admission.executionId })
    } else if (admission?.outcome === 'gone') refusals.push({ index, refusal: unknownContact() })
    else refusals.push({ index, refusal: new NotAdmitted(flow.id) })
  }
  return { executions, refusals }
}

const unknownContact = (): AppError =>
  new AppError('NOT_FOUND', 'Contact not found', { reason: 'contact_not_found' })

function refuseContact({ contactId }: TriggerRow, foreign: ReadonlySet<Uuid>): AppError {
  if (contactId === undefined || !foreign.has(contactId.toLowerCase())) return unknownContact()
  return forbidden('This contact belongs to another organization', {
    reason: 'contact_of_another_organization',
  })
}
