import { slugTaken } from '../../domain/slugs.ts'
import { requireUnmodified } from '../../domain/unmodified.ts'
import type { FlowDefinitionInput, FlowPatch } from '../../schemas/flows/flow.ts'
import * as organizations from '../../store/access/organizations.ts'
import {
  hasState,
  type Sql,
  transact,
  type Transaction,
  UNIQUE_VIOLATION,
} from '../../store/db/sql.ts'
import * as flows from '../../store/flows/flows.ts'
import { changeFlow, type Saving } from './change-flow.ts'
import { wireOf } from './draft.ts'

type Noting = (tx: Transaction, was: flows.WholeFlow, flow: flows.WholeFlow) => Promise<void>

/**
 * Changes the flow with this id or slug, in its own transaction, in which `note` is called.
 * Undefined: there is none. Throws what `changeFlow` throws; 409 when it was changed since the
 * caller read it, or when its slug is taken.
 */
export async function patchFlow(
  sql: Sql,
  changing: Omit<Saving, 'tx'>,
  idOrSlug: string,
  patch: FlowPatch,
  note: Noting,
): Promise<flows.WholeFlow | undefined> {
  const { organizationId } = changing
  try {
    return await transact(sql, async (tx) => {
      // Before the flow, as a push does: which others with its trigger are enabled may matter.
      await organizations.lock(tx, organizationId)
      const flow = await flows.lock(tx, organizationId, idOrSlug)
      if (!flow) return undefined
      requireUnmodified('workflow', flow, patch.ifUnmodifiedSince)
      const values = {
        name: patch.name ?? flow.name,
        slug: patch.slug ?? flow.slug,
        description: patch.description === undefined ? flow.description : patch.description,
        enabled: patch.enabled ?? flow.enabled,
      }
      const definition = definitionAfter(flow, patch)
      const changed = await changeFlow({ ...changing, tx }, flow, values, definition)
      await note(tx, flow, changed)
      return changed
    })
  } catch (error) {
    throw hasState(error, UNIQUE_VIOLATION) ? slugTaken('workflow') : error
  }
}

/** Returns the definition after a patch. Undefined: the patch does not change it. */
export function definitionAfter(
  flow: flows.WholeFlow,
  patch: FlowPatch,
): FlowDefinitionInput | undefined {
  const { triggerType, triggerConfig, steps, transitions, settings } = patch
  const parts = [triggerType, triggerConfig, steps, transitions, settings]
  if (parts.every((part) => part === undefined)) return undefined
  const before = wireOf(flow.definition)
  const type = triggerType ?? before.triggerType
  const config = type === before.triggerType ? before.triggerConfig : {}
  return {
    triggerType: type,
    triggerConfig: triggerConfig ?? config,
    steps: steps ?? before.steps,
    transitions: transitions ?? before.transitions,
    settings: { ...before.settings, ...settings },
  }
}
