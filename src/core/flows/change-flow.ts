import { isDeepStrictEqual } from 'node:util'
import { conflict } from '../../domain/errors.ts'
import type { FormerHeaders, Headers } from '../../domain/flows/flow-headers.ts'
import type { Definition } from '../../domain/flows/flow.ts'
import { warningsOf } from '../../domain/flows/flow-warnings.ts'
import { isCalling } from '../../domain/flows/steps/index.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import { flowHeadersPlace, flowSecretPlace, open, seal } from '../../keys/sealing.ts'
import type { Warning } from '../../schemas/common.ts'
import type { FlowDefinitionInput } from '../../schemas/flows/flow.ts'
import * as flowSecrets from '../../store/flows/secrets.ts'
import * as flows from '../../store/flows/flows.ts'
import * as outbox from '../../store/platform/outbox.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { newSigningSecret } from '../../keys/webhook-signatures.ts'
import { readDefinition } from './definition.ts'
import { wireOf } from './draft.ts'
import { keepWatched } from './membership.ts'
import { type EnabledFlow, requireTriggerRoom, ringWarnings } from './trigger-checks.ts'
import { type Checking, requireRunnable } from './rules.ts'
import { requireSenders } from './senders.ts'
import { requireRoom } from '../access/plan.ts'
import type { CheckedSenders } from '../accounts/sender-check.ts'
import { slugTaken, underSlug } from '../../domain/slugs.ts'

export interface Changing {
  tx: Transaction
  organizationId: Uuid
  keyring: Keyring
  requestId: string
  senders: CheckedSenders
  warnings: Warning[]
}

export type Saving = Changing & Checking

/** Versions of one flow. Each change of the definition creates one. */
const MOST_VERSIONS = 10_000
/** Words of paths under `/v1/workflows/`, which cannot be slugs. */
const RESERVED_SLUGS = ['push', 'pull', 'executions', 'operations']

interface NewFlow extends Omit<flows.FlowValues, 'slug'> {
  slug: string | undefined
}

/**
 * Creates a flow. Throws the errors of `readDefinition`, a 402 if the plan allows no more, and a
 * 409 if its slug is taken or too many flows with its trigger are enabled.
 */
export async function createFlow(
  changing: Saving,
  { name, slug, ...values }: NewFlow,
  input: FlowDefinitionInput,
): Promise<{ flow: flows.WholeFlow; webhookSecret: string }> {
  const { tx, organizationId, keyring } = changing
  await requireRoom(tx, organizationId, 'workflows', () => flows.count(tx, organizationId))
  const { definition, headers } = await readDefinition(changing, input)
  changing.warnings.push(...warningsOf(definition))
  if (values.enabled) {
    await requireReady(changing, { id: undefined, name, definition })
    await requireTriggerRoom(tx, organizationId, definition.trigger)
  }
  const id = uuidv7()
  const webhookSecret = newSigningSecret()
  const place = flowSecretPlace(organizationId, id)
  const sealedSecret = seal(keyring, 'flow-secret', place, webhookSecret)
  const slugWish = { name, id, fallback: 'workflow', ...(slug === undefined ? {} : { slug }) }
  const createdFlow = await underSlug(slugWish, async (free) =>
    RESERVED_SLUGS.includes(free)
      ? undefined
      : flows.create(tx, {
          organizationId,
          id,
          name,
          slug: free,
          ...values,
          definition,
          sealedSecret,
        }),
  )
  if (!createdFlow) throw slugTaken('workflow')
  await putHeaders(changing, { id, version: 1 }, headers)
  await keepWatched(tx, organizationId, [definition.trigger])
  if (createdFlow.triggerType === 'schedule') await syncSchedule(changing, id)
  return { flow: { ...createdFlow, definition }, webhookSecret }
}

/**
 * Changes a flow. The flow and its organization are locked. `given` undefined: its definition
 * stays. An equal definition creates no version. Throws the errors of `readDefinition`, a 400 if
 * the flow is to run and cannot, and a 409 if too many with its trigger are enabled.
 */
export async function changeFlow(
  changing: Saving,
  flow: flows.WholeFlow,
  values: flows.FlowValues,
  input: FlowDefinitionInput | undefined,
): Promise<flows.WholeFlow> {
  const { tx, organizationId } = changing
  const read = input && (await readChanged(changing, flow, input))
  const isRenamed =
    values.name !== flow.name ||
    values.slug !== flow.slug ||
    values.description !== flow.description
  // Switching is not an edit: the definition stays the one that was pushed.
  if (!read && !isRenamed) return switchFlow(changing, flow, values.enabled)
  if (values.slug !== flow.slug && RESERVED_SLUGS.includes(values.slug)) {
    throw slugTaken('workflow')
  }
  const definition = read?.definition ?? flow.definition
  if (read) changing.warnings.push(...warningsOf(definition))
  const isRenewed = values.enabled && (read !== undefined || !flow.enabled)
  if (isRenewed) {
    await requireReady(changing, { id: flow.id, name: values.name, definition })
    const from = flow.enabled ? flow.definition.trigger : undefined
    await requireTriggerRoom(tx, organizationId, definition.trigger, from)
  }
  if (read && flow.version >= MOST_VERSIONS) {
    throw conflict(`A workflow can have at most ${MOST_VERSIONS} versions`, {
      reason: 'version_limit',
    })
  }
  const changed = await flows.update(tx, organizationId, flow, values, read?.definition)
  if (!changed) throw new Error('a locked flow is gone')
  if (read) await putHeaders(changing, changed, read.headers)
  await keepWatched(tx, organizationId, [flow.definition.trigger, definition.trigger])
  const isScheduled = [flow, changed].some(({ triggerType }) => triggerType === 'schedule')
  if (isScheduled && (read || changed.enabled !== flow.enabled)) {
    await syncSchedule(changing, flow.id)
  }
  return { ...changed, definition }
}

/**
 * Returns the new definition. Undefined: the flow already has it. An unchanged definition is not
 * checked, since resources that it names may be gone by now.
 */
export async function readChanged(
  changing: Saving,
  flow: flows.WholeFlow,
  input: FlowDefinitionInput,
): Promise<{ definition: Definition; headers: Headers } | undefined> {
  if (isAsShown(flow.definition, input)) return undefined
  const former = await formerHeaders(changing, flow)
  const read = await readDefinition(changing, input, sentBy(flow.definition, former))
  const isSame =
    isDeepStrictEqual(plain(read.definition), plain(flow.definition)) &&
    isDeepStrictEqual(read.headers, former)
  return isSame ? undefined : read
}

const sentBy = ({ steps }: Definition, headers: Headers): FormerHeaders =>
  new Map(
    steps.flatMap((step) => {
      const values = headers.get(step.id)
      return isCalling(step) && values !== undefined
        ? [[step.id, { url: step.config.url, values }] as const]
        : []
    }),
  )

/**
 * Returns whether a definition has the form in which the API returns it: `***` then stands for
 * unchanged headers.
 */
function isAsShown(
  definition: Definition,
  { triggerType, triggerConfig, steps, transitions, settings }: FlowDefinitionInput,
): boolean {
  const givenDefinition = { triggerType, triggerConfig, steps, transitions, settings }
  return isDeepStrictEqual(plain(givenDefinition), plain(wireOf(definition)))
}

const plain = (definition: object): unknown => JSON.parse(JSON.stringify(definition))

/** Enables or disables a locked flow. To enable it, its organization is locked, too. */
export async function switchFlow(
  changing: Changing,
  flow: flows.WholeFlow,
  enabled: boolean,
): Promise<flows.WholeFlow> {
  const { tx, organizationId } = changing
  if (flow.enabled === enabled) return flow
  if (enabled) {
    changing.warnings.push(...warningsOf(flow.definition))
    await requireReady(changing, flow)
    await requireTriggerRoom(tx, organizationId, flow.definition.trigger)
  }
  const switched = await flows.setEnabled(tx, organizationId, flow.id, enabled)
  await keepWatched(tx, organizationId, [flow.definition.trigger])
  if (flow.triggerType === 'schedule') await syncSchedule(changing, flow.id)
  return { ...flow, ...switched }
}

/**
 * Throws a 400 if the flow cannot run, because settings are missing or a sender is not verified.
 * Warns of flows that start each other.
 */
async function requireReady(changing: Changing, flow: EnabledFlow): Promise<void> {
  const { tx, organizationId, senders, warnings } = changing
  const { definition } = flow
  await requireRunnable(tx, organizationId, definition)
  warnings.push(...(await requireSenders(tx, organizationId, definition, senders)))
  warnings.push(...(await ringWarnings(tx, organizationId, flow)))
}

export async function removeFlow(
  changing: Pick<Changing, 'tx' | 'organizationId' | 'requestId'>,
  flow: flows.WholeFlow,
): Promise<void> {
  const { tx, organizationId } = changing
  await flows.remove(tx, organizationId, flow.id)
  await keepWatched(tx, organizationId, [flow.definition.trigger])
  if (flow.triggerType === 'schedule') await syncSchedule(changing, flow.id)
}

const OVERLAP_MS = 86_400_000

/** Rotates the secret of the flow's webhooks. Undefined: the flow is gone. */
export async function rotateSecret(
  { tx, organizationId, keyring }: Pick<Changing, 'tx' | 'organizationId' | 'keyring'>,
  id: Uuid,
): Promise<{ webhookSecret: string; previousSecretUntil: string } | undefined> {
  const webhookSecret = newSigningSecret()
  const place = flowSecretPlace(organizationId, id)
  const sealed = seal(keyring, 'flow-secret', place, webhookSecret)
  const until = await flowSecrets.rotate(tx, { organizationId, id }, sealed, OVERLAP_MS)
  return until === undefined ? undefined : { webhookSecret, previousSecretUntil: until }
}

const syncSchedule = (
  { tx, organizationId, requestId }: Pick<Changing, 'tx' | 'organizationId' | 'requestId'>,
  flowId: Uuid,
) => outbox.put(tx, organizationId, { kind: 'sync_schedule', payload: { flowId } }, requestId)

type Version = Pick<flows.FlowRow, 'id' | 'version'>

async function putHeaders(
  { tx, organizationId, keyring }: Changing,
  { id: flowId, version }: Version,
  headers: Headers,
): Promise<void> {
  const sealed = [...headers].map(([stepId, values]) => {
    const place = flowHeadersPlace(organizationId, { flowId, version, stepId })
    return { stepId, sealed: seal(keyring, 'flow-headers', place, JSON.stringify(values)) }
  })
  await flowSecrets.putHeaders(tx, { organizationId, flowId, version }, sealed)
}

/**
 * Returns the headers of the newest version, without those whose key is no longer in the keyring.
 */
async function formerHeaders(
  { tx, organizationId, keyring }: Changing,
  { id: flowId, version }: Version,
): Promise<Headers> {
  const rows = await flowSecrets.listHeaders(tx, { organizationId, flowId, version })
  const opened = rows.flatMap(({ stepId, sealed }) => {
    const place = flowHeadersPlace(organizationId, { flowId, version, stepId })
    const text = open(keyring, 'flow-headers', place, sealed)
    return text === undefined ? [] : [[stepId, asTexts(JSON.parse(text))] as const]
  })
  return new Map(opened)
}

const asTexts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, each]) => [name, String(each)]))
