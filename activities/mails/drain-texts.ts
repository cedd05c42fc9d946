import { Context } from '@temporalio/activity'
import { applyPhoneEvents, type PhoneEvent } from '../../src/core/consent/phone-consent.ts'
import { REFUSALS } from '../../src/core/mails/single-text.ts'
import { openText } from '../../src/core/mails/text-content.ts'
import { configurationSetName } from '../../src/domain/accounts/iam-role.ts'
import { reasonOf } from '../../src/domain/consent/phone-consent.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { addressed } from '../../src/keys/addresses.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { uuidv7, type Uuid } from '../../src/runtime/ids.ts'
import { countText } from '../../src/runtime/metrics.ts'
import * as textLimits from '../../src/store/accounts/text-limits.ts'
import * as phoneConsents from '../../src/store/consent/phone-consents.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { recordResults, type TextResult } from '../../src/store/delivery/record-results.ts'
import { type ClaimedText, claimTexts, listRecipients } from '../../src/store/mails/claim-texts.ts'
import * as singleTexts from '../../src/store/mails/single-texts.ts'
import * as textQueue from '../../src/store/mails/text-queue.ts'
import type { DispatchTextsInput } from '../../workflows/contract.ts'
import type { Call, Outcome } from '../mailer.ts'
import type { Texter } from '../texter.ts'
import { writeWithRetry } from '../write-with-retry.ts'

const CLAIM_SIZE = 25
/** Senders of a connection that are served at once. Others have their turn next. */
const MOST_SENDERS = 20
/** How often a warm drain looks for more, and how long it stays warm with nothing to do. */
const POLL_MS = 100
const WARM_MS = 2_000
/** A wait longer than this is slept by the workflow. */
const LONGEST_WAIT_MS = 5_000
/** Pause of a sender after the provider found it too fast. */
const THROTTLED_MS = 1_000
/** A text whose sender is refused is tried less often the longer it waits, and for a day. */
const AGE_PER_TRY = 20
const LONGEST_POSTPONEMENT_MS = 3_600_000
const GIVE_UP_MS = 86_400_000

/** `waitMs` 0: at once. `more` false: nothing waits. */
export interface DrainedTexts {
  waitMs: number
  more: boolean
}

export interface DrainTextsDeps {
  sql: Sql
  claimSql: Sql
  texter: Texter
  timings: Timings
  content: { keyring: Keyring }
  /** How long a drain looks for more. */
  warmMs?: number
}

export type DrainTexts = ReturnType<typeof createDrainTexts>

/**
 * Sends the texts that wait for one connection, each sender at its own rate. Each text is called
 * once at most; what becomes of a call that was interrupted, events decide.
 */
export const createDrainTexts =
  (deps: DrainTextsDeps) =>
  async (input: DispatchTextsInput): Promise<DrainedTexts> => {
    const { sql, timings, warmMs = WARM_MS } = deps
    const context = Context.current()
    const endAt = performance.now() + timings.drainMs
    let warmUntil = performance.now() + warmMs
    while (performance.now() < endAt) {
      const connection = await textQueue.findConnection(sql, input)
      if (!connection) return { waitMs: 0, more: false }
      const dueSenders = await textQueue.listDueSenders(sql, input.connectionId, MOST_SENDERS)
      if (dueSenders.length === 0) {
        if (performance.now() > warmUntil) return { waitMs: 0, more: false }
        await context.sleep(POLL_MS)
        continue
      }
      warmUntil = performance.now() + warmMs
      const turns = await Promise.all(
        dueSenders.map((sender) => sendSome(deps, { ...connection, sender })),
      )
      // This organization's role is in the way: whatever its senders are, none can be used.
      if (turns.includes('stuck')) return { waitMs: timings.stuckMs, more: true }
      const waitMs = Math.min(...turns.filter((turn) => turn !== 'stuck'))
      if (waitMs > LONGEST_WAIT_MS) return { waitMs, more: true }
      await context.sleep(waitMs)
    }
    return { waitMs: 0, more: true }
  }

interface TextSender extends textQueue.TextConnection {
  sender: string
}

/**
 * Claims and sends a sender's first texts for which it has permits. Returns the milliseconds after
 * which to come again.
 */
async function sendSome(deps: DrainTextsDeps, from: TextSender): Promise<number | 'stuck'> {
  const { sql } = deps
  const waiting = await textQueue.listWaiting(sql, from, CLAIM_SIZE)
  const [first] = waiting
  if (!first) return POLL_MS
  // A claim is of one bucket: the partition must be named.
  const candidates = waiting.filter(({ bucket }) => bucket === first.bucket)
  const grant = await textLimits.grantTexts(
    sql,
    from,
    candidates.map(({ parts }) => parts),
  )
  if (grant.granted === 0) return grant.waitMs
  const granted = candidates.slice(0, grant.granted)
  const claim = await claimGranted(deps, from, granted)
  const calledIds = await sendClaimed(deps, from, claim)
  const unused = granted.filter(({ id }) => !calledIds.ids.has(id))
  if (unused.length > 0) {
    await textLimits.giveBack(
      sql,
      from,
      unused.reduce((sum, { parts }) => sum + parts, 0),
    )
  }
  if (calledIds.isStuck) return 'stuck'
  return claim.texts.length === 0 ? POLL_MS : 0
}

interface Claim {
  id: Uuid
  bucket: Uuid
  /** Time of Postgres' clock. */
  claimedAt: string
  /** On `performance.now()`'s scale, before the claim. */
  startedAt: number
  texts: ClaimedText[]
  bodies: Map<Uuid, string>
}

/**
 * Claims texts. The list of numbers is read under the locks that an opt-out takes, in the
 * transaction of the claim: whoever opted out before the claim is not texted.
 */
async function claimGranted(
  { sql, claimSql, content: { keyring } }: DrainTextsDeps,
  { organizationId, connectionId }: TextSender,
  granted: readonly textQueue.WaitingText[],
): Promise<Claim> {
  const [{ bucket } = { bucket: '' }] = granted
  const ids = granted.map(({ id }) => id)
  const set = { organizationId, bucket, ids }
  // Before the claim, after which there is a second to begin every call.
  const [recipients, sealed] = await Promise.all([
    listRecipients(sql, set),
    singleTexts.listSealed(sql, organizationId, ids),
  ])
  const bodies = new Map<Uuid, string>()
  for (const [id, bytes] of sealed) {
    const body = openText(keyring, organizationId, id, bytes)
    if (body !== undefined) bodies.set(id, body)
  }
  const phones = recipients.map(({ id, recipient }) => ({
    id,
    organizationId,
    address: addressed(keyring, organizationId, recipient),
  }))
  const claimId = uuidv7()
  const startedAt = performance.now()
  const claimed = await transact(claimSql, async (tx) => {
    await suppressions.lockEach(tx, phones, 'share')
    const consentOf = await phoneConsents.lookUp(tx, phones)
    const refused = phones.flatMap(({ id, address }) => {
      const reason = reasonOf(consentOf(address))
      return reason === undefined ? [] : [{ id, reason: REFUSALS[reason] }]
    })
    // A text that came back to the queue meanwhile has no lock: the next claim has it.
    const lockedIds = phones.map(({ id }) => id)
    return claimTexts(tx, { ...set, ids: lockedIds, connectionId, claimId, refused })
  })
  if (claimed.texts.length === 0) await textQueue.dropStale(sql, set)
  return { id: claimId, bucket, startedAt, bodies, ...claimed }
}

/** Calls and writes. Returns the texts for which a call began. */
async function sendClaimed(
  deps: DrainTextsDeps,
  from: TextSender,
  { id: claimId, bucket, claimedAt, startedAt, texts, bodies }: Claim,
): Promise<{ ids: Set<Uuid>; isStuck: boolean }> {
  const { sql, texter, timings } = deps
  const { organizationId, externalId, sender } = from
  if (texts.length === 0) return { ids: new Set(), isStuck: false }
  const call: Call = {
    iamRole: from,
    signedAt: new Date(claimedAt),
    beginBy: startedAt + timings.beginMs,
  }
  const ended = await Promise.all(
    texts.map(async (text): Promise<EndedCall> => {
      const body = bodies.get(text.id)
      if (body === undefined) return { text, outcome: LOST }
      const tags = tagsOf({ organizationId, bucket, id: text.id })
      const outcome = await texter.send(
        {
          to: text.recipient,
          body,
          sender,
          context: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
          configurationSet: configurationSetName(externalId),
        },
        call,
      )
      return { text, outcome }
    }),
  )
  await recordConsents(deps, { organizationId, claimedAt }, ended)
  const results = ended.map(resultOf)
  const settled = { organizationId, bucket, claimId, batchId: null, channel: 'sms' } as const
  await writeWithRetry(() => recordResults(sql, settled, results))
  for (const { outcome } of results) countText(outcome)
  await applyFeedback(deps, from, { bucket, ended })
  const called = ended.filter(({ outcome }) => outcome.kind !== 'not_begun')
  return {
    ids: new Set(called.map(({ text }) => text.id)),
    isStuck: ended.some(
      ({ outcome }) =>
        outcome.kind === 'unavailable' || (outcome.kind === 'unreachable' && outcome.own === true),
    ),
  }
}

interface EndedCall {
  text: ClaimedText
  outcome: Outcome | { kind: 'not_begun' }
}

const LOST: Outcome = {
  kind: 'refused',
  reason: 'content_lost',
  error: 'What it says cannot be decrypted',
}

function resultOf({ text: { id, waitedMs }, outcome }: EndedCall): TextResult {
  switch (outcome.kind) {
    case 'sent':
      return { id, outcome: 'sent', messageId: outcome.messageId, subject: null }
    case 'refused': {
      const { reason, error } = outcome
      if (outcome.ofSender && waitedMs < GIVE_UP_MS) return { id, outcome: 'queued' }
      return reason === 'opted_out'
        ? { id, outcome: 'skipped', reason, error }
        : { id, outcome: 'failed', reason, error }
    }
    case 'unknown':
      return { id, outcome: 'unknown', error: outcome.error, subject: null }
    case 'not_begun':
    case 'throttled':
    case 'unavailable':
    case 'unreachable':
      return { id, outcome: 'queued' }
  }
}

/**
 * Stores what refusals say of numbers, before the results: a worker that ends in between leaves the
 * text in doubt, and nobody is forgotten.
 */
async function recordConsents(
  { sql, content: { keyring } }: DrainTextsDeps,
  { organizationId, claimedAt }: { organizationId: Uuid; claimedAt: string },
  ended: readonly EndedCall[],
): Promise<void> {
  const events = ended.flatMap(({ text: { recipient }, outcome }): PhoneEvent[] => {
    const kind = outcome.kind === 'refused' ? CONSENT_KINDS[outcome.reason] : undefined
    if (kind === undefined) return []
    const address = addressed(keyring, organizationId, recipient)
    return [{ organizationId, address, kind, occurredAt: claimedAt, source: 'event' }]
  })
  if (events.length === 0) return
  await writeWithRetry(() => transact(sql, (tx) => applyPhoneEvents(tx, events)))
}

const CONSENT_KINDS: Readonly<Record<string, 'stop' | 'invalid'>> = {
  opted_out: 'stop',
  invalid_number: 'invalid',
}

/** Slows down or pauses the sender, for everybody who uses it. */
async function applyFeedback(
  { sql, timings }: DrainTextsDeps,
  from: TextSender,
  { bucket, ended }: { bucket: Uuid; ended: readonly EndedCall[] },
): Promise<void> {
  const pause = (ms: number, reason: string) => textLimits.pause(sql, from, { ms, reason })
  const outcomes = ended.map(({ outcome }) => outcome)
  const isThrottled = (scope: 'rate' | 'quota') =>
    outcomes.some((outcome) => outcome.kind === 'throttled' && outcome.scope === scope)
  if (isThrottled('quota')) await pause(timings.quotaPauseMs, 'monthly_spend')
  else if (isThrottled('rate')) await pause(THROTTLED_MS, 'throttled')
  if (outcomes.some((outcome) => outcome.kind === 'unreachable' && outcome.own !== true)) {
    await pause(timings.outagePauseMs, 'provider_unreachable')
  }
  const refused = ended.filter(
    ({ outcome }) => outcome.kind === 'refused' && outcome.ofSender === true,
  )
  for (const { text } of refused) {
    const ageMs = Math.min(LONGEST_POSTPONEMENT_MS, text.waitedMs / AGE_PER_TRY)
    const set = { organizationId: from.organizationId, bucket, ids: [text.id] }
    await textQueue.postpone(sql, set, Math.max(timings.stuckMs, ageMs))
  }
}
