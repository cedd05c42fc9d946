import { badRequest, conflict, type ErrorCode, type ErrorDetail } from '../src/domain/errors.ts'
import { refuseProperties } from '../src/domain/properties.ts'
import { isUuid, type Uuid, uuidv7 } from '../src/ids.ts'
import type { TriggerBatchInput, TriggerError } from '../src/schemas/execution.ts'
import { admit, type Start } from '../src/store/admission.ts'
import type { Transaction } from '../src/store/sql.ts'
import * as triggering from '../src/store/triggering.ts'
import type { TriggerableFlow } from '../src/store/triggering.ts'

type Row = TriggerBatchInput['contacts'][number]
interface Refusal extends Omit<TriggerError, 'index'> {
  code: ErrorCode
}

/** Why this flow is not started by anybody's call; undefined: it is. */
export function refuseFlow({ enabled, triggerType }: TriggerableFlow): Refusal | undefined {
  const code = 'CONFLICT'
  if (triggerType !== 'api') {
    const message = `This workflow is started by its trigger, ${triggerType}, and not by the API`
    return { code, reason: 'workflow_not_api', message }
  }
  if (enabled) return undefined
  return { code, reason: 'workflow_disabled', message: 'This workflow is disabled' }
}

export const NOT_ADMITTED: Refusal = {
  code: 'CONFLICT',
  reason: 'not_admitted',
  message: 'Re-entry, re-entry delay or cooldown of the workflow do not let this contact in now',
}

export const refusedBy = ({ reason, message }: Refusal) => conflict(message, { reason })

/** Refuses data that an execution cannot have. */
export function requireData(data: Record<string, unknown>): void {
  const message = refuseProperties(data)
  if (message === undefined) return
  const details: ErrorDetail[] = [{ path: 'data', message }]
  throw badRequest(`data ${message}`, details)
}

export const namedContact = ({ contactId, contactEmail }: Row): triggering.NamedContact => ({
  id: contactId,
  email: contactEmail?.trim().toLowerCase(),
})

interface Outcome {
  executions: { contactId: Uuid; executionId: Uuid }[]
  refusals: TriggerError[]
}

/**
 * Starts a flow for many contacts: each that cannot be is refused by itself. Of rows that name the
 * same contact the first counts.
 */
export async function triggerMany(
  tx: Transaction,
  organizationId: Uuid,
  flow: TriggerableFlow,
  { contacts, data: common = {} }: TriggerBatchInput,
  requestId: string,
): Promise<Outcome> {
  const found = await triggering.findContacts(tx, organizationId, contacts.map(namedContact))
  const lost = contacts.flatMap(({ contactId }, i) =>
    found[i] === undefined && contactId !== undefined && isUuid(contactId) ? [contactId] : [],
  )
  const strangers = await triggering.listStrangers(tx, lost)
  const closed = refuseFlow(flow)
  const refusals: TriggerError[] = []
  const asked: { index: number; start: Start }[] = []
  const seen = new Set<Uuid>()
  for (const [index, row] of contacts.entries()) {
    const contactId = found[index]
    if (contactId === undefined) {
      refusals.push({ index, ...refuseContact(row, strangers) })
      continue
    }
    if (seen.has(contactId)) continue
    seen.add(contactId)
    const data = { ...common, ...row.data }
    const refusal = closed ?? refuseData(data)
    if (refusal) refusals.push({ index, ...refusal })
    else asked.push({ index, start: { flow, contactId, data, dedupeKey: uuidv7() } })
  }
  const admissions = await admit(
    tx,
    organizationId,
    asked.map(({ start }) => start),
    requestId,
  )
  const executions: Outcome['executions'] = []
  for (const [i, { index, start }] of asked.entries()) {
    const admission = admissions[i]
    if (admission?.outcome === 'started') {
      executions.push({ contactId: start.contactId, executionId: admission.executionId })
    } else if (admission?.outcome === 'gone') refusals.push({ index, ...UNKNOWN })
    else refusals.push({ index, ...NOT_ADMITTED })
  }
  return { executions, refusals: refusals.toSorted((a, b) => a.index - b.index) }
}

const UNKNOWN: Refusal = {
  code: 'NOT_FOUND',
  reason: 'contact_not_found',
  message: 'There is no such contact',
}

function refuseContact({ contactId, contactEmail }: Row, strangers: ReadonlySet<Uuid>): Refusal {
  if (contactId === undefined && contactEmail === undefined) {
    const message = 'One of contactId and contactEmail is needed'
    return { code: 'BAD_REQUEST', reason: 'contact_needed', message }
  }
  if (contactId === undefined || !strangers.has(contactId.toLowerCase())) return UNKNOWN
  const message = 'This contact belongs to another organization'
  return { code: 'FORBIDDEN', reason: 'contact_of_another_organization', message }
}

function refuseData(data: Record<string, unknown>): Refusal | undefined {
  const message = refuseProperties(data)
  if (message === undefined) return undefined
  return { code: 'BAD_REQUEST', reason: 'data_refused', message: `data ${message}` }
}
