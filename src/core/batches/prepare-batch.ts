import { refuse } from '../../domain/errors.ts'
import { LEAST_RECIPIENTS } from '../../domain/batches/ab-test.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { BatchInput } from '../../schemas/batches/batch.ts'
import * as contents from '../../store/content/contents.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { BatchValues } from '../../store/batches/batch-changes.ts'
import type { NewVariant } from '../../store/batches/batch-variants.ts'
import { requireSender } from '../accounts/resolve-sender.ts'
import {
  type CheckedSenders,
  notChecked,
  notVerified,
  SENDER_NOT_VERIFIED,
} from '../accounts/sender-check.ts'
import { asksConditions } from './batch-audience.ts'
import { type BatchContent, type Compile, findContent, versionsOf } from './batch-content.ts'
import { namedAudience, requireAudience } from './batch-references.ts'
import { applyBatchRules } from './batch-rules.ts'

export interface BatchContext {
  /** The accounts are asked about the sender before the transaction. */
  senders: CheckedSenders
  compile: Compile
  estimate: number
  now: number
  requestId: string
}

/** Checks a batch as `resolveBatch` does, and stores its content. */
export async function prepareBatch(
  tx: Transaction,
  organizationId: Uuid,
  ...parameters: PrepareArguments
): Promise<Prepared> {
  const { newContents, ...prepared } = await resolveBatch(tx, organizationId, ...parameters)
  for (const { id, inline } of newContents) {
    if (inline) await contents.create(tx, { organizationId, id, ...inline })
  }
  return prepared
}

type PrepareArguments = [
  input: BatchInput,
  context: Omit<BatchContext, 'requestId'>,
  kept?: BatchContent,
]

export interface Prepared {
  values: BatchValues
  /** Undefined: the variants stay as they are. */
  variants?: NewVariant[]
  warnings: Warning[]
}

/**
 * Checks a new or changed batch, and returns it in its stored form with its new contents. `kept`:
 * content that it has already. Throws a 400 that names the field if it cannot be sent. A sender
 * whose account did not answer in time is a warning.
 */
export async function resolveBatch(
  tx: Transaction,
  organizationId: Uuid,
  ...[input, { senders, compile, estimate, now }, kept]: PrepareArguments
): Promise<Prepared & { newContents: BatchContent[] }> {
  const { scheduledFor, timezone } = applyBatchRules(input, now)
  const sender = await requireSender(tx, organizationId, input)
  const senderState = senders.stateOf(sender)
  if (senderState === 'not_verified') {
    refuse('from', notVerified(sender.address), SENDER_NOT_VERIFIED)
  }
  if (input.unknownOutcome === 'retry' && !sender.receivesEvents) {
    refuse(
      'unknownOutcome',
      'cannot be retry: no delivery event of the account arrived in the last 24 hours',
    )
  }
  const versions = versionsOf(input)
  const newContents: BatchContent[] = []
  for (const version of kept ? [] : versions) {
    newContents.push(await findContent(tx, organizationId, version, compile))
  }
  const audience = namedAudience(input)
  await requireAudience(tx, organizationId, audience)
  requireEnough(input, estimate)
  const content = kept ?? newContents[0]
  if (!content) throw new Error('a batch says something')
  const isNewTest = input.abTest !== undefined && !kept
  return {
    newContents,
    ...(isNewTest ? { variants: variantsOf(versions, newContents, sender.name) } : {}),
    values: {
      abTest: storedTest(input),
      name: input.name ?? null,
      ...audience,
      connectionId: sender.connectionId,
      contentId: content.id,
      templateId: content.templateId,
      subject: content.subject,
      previewText: content.previewText,
      fromAddress: sender.address,
      fromName: sender.name,
      replyTo: sender.replyTo,
      variableMappings: input.variableMappings ?? [],
      scheduledFor,
      timezone,
      throttlePerSecond: input.throttlePerSecond ?? null,
      unknownOutcome: input.unknownOutcome ?? 'fail',
      totalRecipients: estimate,
    },
    warnings: senderState === 'not_known' ? [notChecked('from', sender.address)] : [],
  }
}

const variantsOf = (
  versions: readonly BatchInput[],
  contents: readonly BatchContent[],
  name: string | null,
): NewVariant[] =>
  contents.map(({ id: contentId, templateId, subject, previewText }, position) => ({
    contentId,
    templateId,
    subject,
    previewText,
    fromName: versions[position]?.fromName ?? name,
  }))

/** Returns the test to store. Variants inherit missing content from the batch. */
function storedTest({ abTest, subject, previewText, fromName, templateId }: BatchInput) {
  if (!abTest) return null
  const shared = Object.entries({ subject, previewText, fromName, templateId })
  const sharedContent = Object.fromEntries(shared.filter(([, text]) => text !== undefined))
  return { ...abTest, decideAfter: abTest.decideAfter ?? null, said: sharedContent }
}

/** Refuses a test whose variants would have so few recipients that their figures say nothing. */
function requireEnough(
  { abTest, audienceType, exclude }: BatchInput,
  totalRecipients: number,
): void {
  const excludedSegmentIds = exclude?.segmentIds ?? []
  // With segments nobody may have been able to say in time how many they are.
  const isUnknown = totalRecipients === 0 && asksConditions({ audienceType, excludedSegmentIds })
  if (!abTest || isUnknown) return
  const share = Math.floor((totalRecipients * abTest.sharePercent) / 100)
  if (share >= LEAST_RECIPIENTS * abTest.variants.length) return
  refuse(
    'abTest',
    `needs ${LEAST_RECIPIENTS} recipients for each variant; of about ${totalRecipients} it has ${share} in all`,
    'audience_too_small',
  )
}
