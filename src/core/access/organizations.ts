import { type Limit, LIMITS, MOST_LIMIT, type PlanName } from '../../domain/access/plan.ts'
import { normalAddress } from '../../domain/text.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as members from '../../store/access/members.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as plans from '../../store/access/plans.ts'
import { type Executor, type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import { createKey } from './api-keys.ts'
import { type Actor, operator, recordAudit } from './audit.ts'
import { addMember } from './members.ts'

interface NewOrganization {
  name: string
  ownerEmail: string
  ownerName: string
  plan?: PlanName | undefined
}

/**
 * Creates an organization with its owner and a first key of full scope, for operators. The key is
 * part of this answer only.
 */
export const createOrganization = (
  sql: Sql,
  { name, ownerEmail, ownerName, plan }: NewOrganization,
): Promise<{ organizationId: Uuid; key: string }> =>
  transact(sql, async (tx) => {
    const actor = operator()
    const organizationId = uuidv7()
    await organizations.create(tx, { id: organizationId, name, plan })
    const owner = { id: uuidv7(), email: normalAddress(ownerEmail), name: ownerName }
    const userId = await members.findOrAddPerson(tx, owner)
    await addMember(tx, organizationId, { userId, role: 'owner' }, actor)
    const { key } = await createKey(tx, organizationId, { name: 'First key' }, actor)
    return { organizationId, key }
  })

/** Returns an organization with its effective limits, and which of them are its own. */
export async function showOrganization(sql: Executor, id: string) {
  const { organization, plan, own } = await requireOrganization(sql, id)
  return {
    ...organization,
    limits: Object.fromEntries(LIMITS.map((name) => [name, plan[name]])),
    ownLimits: LIMITS.filter((name) => own[name] !== null),
  }
}

export async function changeOrganization(
  tx: Transaction,
  id: Uuid,
  change: organizations.OrganizationChange,
  actor: Actor,
): Promise<void> {
  await organizations.change(tx, id, change)
  const action = change.name === undefined ? 'organization.branded' : 'organization.renamed'
  await recordAudit(tx, id, actor, { action, subject: { kind: 'organization', id } })
}

export async function setPlan(
  tx: Transaction,
  id: string,
  plan: PlanName,
  actor: Actor,
): Promise<void> {
  const { organization } = await requireOrganization(tx, id)
  await organizations.setPlan(tx, organization.id, plan)
  await recordAudit(tx, organization.id, actor, {
    action: 'organization.plan_changed',
    subject: { kind: 'organization', id: organization.id },
    detail: { plan },
  })
}

/**
 * Sets a limit of this organization. Null: the plan's limit applies again. API processes apply it
 * within seconds.
 */
export async function setLimit(
  tx: Transaction,
  id: string,
  { limit, value }: { limit: Limit; value: number | null },
  actor: Actor,
): Promise<void> {
  const most = MOST_LIMIT[limit]
  if (value !== null && value > most) throw new Error(`${limit} must be 1 to ${most}, or default`)
  if (isUuid(id)) await organizations.lock(tx, id)
  const { organization, own } = await requireOrganization(tx, id)
  await plans.setOwn(tx, organization.id, { ...own, [limit]: value })
  await recordAudit(tx, organization.id, actor, {
    action: 'organization.limit_changed',
    subject: { kind: 'organization', id: organization.id },
    detail: { limit, value },
  })
}

export async function requireOrganization(sql: Executor, id: string) {
  const none = new Error(`There is no organization ${id}`)
  if (!isUuid(id)) throw none
  const [[organization], plan, own] = await Promise.all([
    organizations.list(sql, id),
    plans.find(sql, id),
    plans.findOwn(sql, id),
  ])
  if (!organization || !plan || !own) throw none
  return { organization, plan, own }
}
