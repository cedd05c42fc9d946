import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { addressed } from '../../src/addresses.ts'
import { ORGANIZATION_TAG, PROBE_TAG, tagsOf } from '../../src/domain/sending/ses-event.ts'
import { SIMULATOR } from '../../src/domain/sending/event-recipients.ts'
import type { Timings } from '../../src/domain/sending/timings.ts'
import { uuidv7 } from '../../src/ids.ts'
import * as messages from '../../src/store/sending/messages.ts'
import * as mailQueue from '../../src/store/sending/mail-queue.ts'
import * as probes from '../../src/store/sending/probes.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/tokens.ts'
import type { DispatchMailInput } from '../../workflows/contract.ts'
import { callAll, jobOf } from '../calls.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { writeWithRetry } from '../write-with-retry.ts'

const CLAIM_SIZE = 50
/** Refusals that are of the account itself, whoever uses it. */
const ACCOUNT_WIDE = ['account_suspended', 'sending_paused', 'limit_exceeded']
/** One drain holds its slot no longer than this. */
const DRAIN_MS = 30_000
/** How often a warm drain looks for more, and how long it stays warm with nothing to do. */
const POLL_MS = 50
const WARM_MS = 1_000
/** A wait longer than this is slept by the workflow, not by the activity. */
const LONGEST_WAIT_MS = 5_000

export interface DrainMailDeps {
  sql: Sql
  claimSql: Sql
  mailer: Mailer
  timings: Timings
  /** The suppression list knows addresses under its HMAC keys. */
  content: { keyring: Keyring }
}

export function createDrainMail({ sql, claimSql, mailer, timings, content }: DrainMailDeps) {
  /**
   * Sends the single mail that waits for one connection, by priority. Returns when to come back:
   * `resumeAt` when the account cannot send now, nothing when the queue is empty or the time is up.
   */
  return async function drainMail(
    input: DispatchMailInput,
  ): Promise<{ resumeAt?: number; more: boolean }> {
    const { organizationId, connectionId } = input
    const until = performance.now() + DRAIN_MS
    let warmUntil = performance.now() + WARM_MS

    while (performance.now() < until) {
      const sender = await senders.find(sql, organizationId, connectionId)
      if (!sender || sender.disconnected || !sender.isVerified) return { more: false }
      await probe(sender)

      const waiting = await mailQueue.waiting(sql, connectionId, CLAIM_SIZE)
      const [first] = waiting
      if (!first) {
        if (performance.now() > warmUntil) return { more: false }
        await sleep(POLL_MS)
        continue
      }
      const grant = await sendLimits.grantPermits(sql, sender, waiting.length)
      if (grant.granted === 0) {
        if (grant.waitMs > LONGEST_WAIT_MS)
          return { resumeAt: Date.now() + grant.waitMs, more: true }
        await Context.current().sleep(grant.waitMs)
        continue
      }
      // One claim is of one bucket: the partition must be named, and the other bucket's turn is
      // next.
      const ids = waiting.filter(({ bucket }) => bucket === first.bucket).map(({ id }) => id)
      const { used, stuck } = await sendSome(sender, {
        bucket: first.bucket,
        ids: ids.slice(0, grant.granted),
        isWatched: grant.isWatched,
      })
      if (used < grant.granted) await sendLimits.giveBack(sql, sender, grant.granted - used)
      // This organization's role or identity is in the way: others on the account must not wait.
      if (stuck) return { resumeAt: Date.now() + timings.stuckMs, more: true }
      if (Context.current().cancellationSignal.aborted) await Context.current().cancelled
      warmUntil = performance.now() + WARM_MS
    }
    return { more: true }
  }

  /**
   * Claims, calls, writes. Returns how many permits were used, and whether this sender is stuck.
   */
  async function sendSome(
    sender: senders.SendingConnection,
    { bucket, ids, isWatched }: { bucket: string; ids: string[]; isWatched: boolean },
  ): Promise<{ used: number; stuck: boolean }> {
    const { organizationId, connectionId } = sender
    const refused = await refusedStrangers(organizationId, bucket, ids)
    const startedAt = performance.now()
    const claimId = uuidv7()
    const claimed = await mailQueue.claim(claimSql, {
      organizationId,
      connectionId,
      bucket,
      claimId,
      ids,
      refused,
    })
    if (claimed.mails.length === 0) return { used: 0, stuck: false }
    const pending = claimed.mails.map(({ id, recipient: to, ...said }) => ({
      id,
      job: jobOf(id, { mail: { ...said, to } }, tagsOf({ organizationId, bucket, id })),
    }))
    const { results, verdict } = await callAll(mailer, pending, {
      iamRole: sender,
      signedAt: new Date(claimed.claimedAt),
      beginBy: startedAt + timings.beginMs,
    })
    await writeWithRetry(() =>
      messages.recordResults(sql, { organizationId, bucket, claimId, batchId: null }, results),
    )
    await applyProviderFeedback(sql, sender, { verdict, isWatched, timings })
    if (verdict.unavailable !== undefined && ACCOUNT_WIDE.includes(verdict.unavailable)) {
      await sendLimits.pause(sql, sender, timings.outagePauseMs, verdict.unavailable)
    }
    return {
      used: pending.length - verdict.notBegun,
      stuck: verdict.own || verdict.unavailable !== undefined,
    }
  }

  /**
   * Mail to addresses of no contact that may not be sent: the list is looked up here because it
   * knows addresses by keys that Postgres does not have. Unsubscribed addresses still get receipts.
   */
  async function refusedStrangers(organizationId: string, bucket: string, ids: readonly string[]) {
    const withoutContact = await mailQueue.listWithoutContact(sql, { organizationId, bucket, ids })
    const mails = withoutContact.map((mail) => ({
      ...mail,
      address: addressed(content.keyring, organizationId, mail.recipient),
    }))
    const addresses = mails.map(({ address }) => address)
    const reasonOf = await suppressions.lookUp(sql, organizationId, addresses)
    return mails.flatMap(({ id, source, address }) => {
      const reason = reasonOf(address)
      const mayGo = reason === undefined || (reason === 'unsubscribed' && source !== 'workflow')
      return mayGo ? [] : [{ id, reason }]
    })
  }

  /**
   * One mail to the simulator, when rows are in doubt and too few other mails tell whether events
   * arrive. No row in the ledger, no log, no counter; under the limiter like all mail.
   */
  async function probe(sender: senders.SendingConnection): Promise<void> {
    const { organizationId, connectionId } = sender
    const from = await probes.take(sql, organizationId, connectionId)
    if (from === undefined) return
    const grant = await sendLimits.grantPermits(sql, sender, 1)
    if (grant.granted === 0) {
      await probes.giveBack(sql, organizationId, connectionId)
      return
    }
    const id = uuidv7()
    const beginBy = performance.now() + timings.beginMs
    const claimedAt = await probes.claim(sql, { organizationId, connectionId, id })
    const outcome = await mailer.send(
      {
        from,
        replyTo: null,
        to: SIMULATOR,
        subject: 'Probe',
        html: null,
        text: 'Asks whether delivery events arrive.',
        headers: [],
        tags: [
          { name: PROBE_TAG, value: id },
          { name: ORGANIZATION_TAG, value: organizationId },
        ],
      },
      { iamRole: sender, signedAt: new Date(claimedAt), beginBy },
    )
    if (outcome.kind === 'sent') await probes.recordAnswer(sql, organizationId, id)
  }
}
