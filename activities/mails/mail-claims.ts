import { addressed } from '../../src/keys/addresses.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import type { OutgoingMail, Refusal } from '../../src/core/content/compose.ts'
import { openContent, outgoing } from '../../src/core/content/mail-content.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import { refusalOfReceipt } from '../../src/domain/mails/single-mail.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type * as senders from '../../src/store/accounts/senders.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { claimMails, listToLookUp } from '../../src/store/mails/claim-mails.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import * as transactionalMails from '../../src/store/mails/transactional-mails.ts'
import { type Job, jobOf } from '../calls.ts'
import { createHeldBytes, type HeldBytes, type HeldPart } from '../delivery/held-bytes.ts'

/** Limit of the contents of one claim's mails. A single longer mail is allowed. */
const CLAIM_BYTES = 4 * 1024 * 1024
/**
 * Limit of the contents of all mails in flight of a process. Above it, claims are of one mail, and
 * of no connection with others in flight. As strings, and again in their requests, they take
 * several times that.
 */
const HELD_BYTES = 24 * 1024 * 1024

/** What a mail of the API says, and its sender's tags. */
type MailParts =
  | { parts: Partial<OutgoingMail>; tags: transactionalMails.Tag[] }
  | { failed: Refusal }

/** Claimed mails, made. */
export interface Claim {
  id: string
  bucket: string
  /** Time of Postgres' clock. */
  claimedAt: string
  /** On `performance.now()`'s scale. */
  startedAt: number
  pending: { id: string; job: Job }[]
  /** Bytes of their contents, until their calls have ended. */
  part: HeldPart
}

const UNREADABLE: MailParts = {
  failed: { reason: 'content_lost', error: 'What it says cannot be decrypted' },
}

export interface MailClaimDeps {
  sql: Sql
  claimSql: Sql
  /** The suppression list knows addresses under its HMAC keys. */
  content: { keyring: Keyring }
  /** What the process holds. Absent: nobody else claims in it. */
  held?: HeldBytes
}

/** The contents that all claims of a process may hold at once. */
export const createMailBytes = (): HeldBytes => createHeldBytes(HELD_BYTES)

/** Claims single mail for a process, which holds what it has claimed until it is sent. */
export function createMailClaims({
  sql,
  claimSql,
  content,
  held = createMailBytes(),
}: MailClaimDeps) {
  return { isFull: held.isFull, claim }

  /** Claims mails and makes them. */
  async function claim(
    sender: senders.SendingConnection,
    wanted: { bucket: string; ids: string[] },
  ): Promise<Claim> {
    const part = held.take(CLAIM_BYTES)
    try {
      return { ...(await claimFitting(sender, wanted, part)), part }
    } catch (error) {
      part.resize(0)
      throw error
    }
  }

  async function claimFitting(
    sender: senders.SendingConnection,
    { bucket, ids }: { bucket: string; ids: string[] },
    part: HeldPart,
  ): Promise<Omit<Claim, 'part'>> {
    const { organizationId, connectionId } = sender
    // Before the claim, after which there is a second to begin every call.
    const [{ fitting, saidBy, bytes }, refused] = await Promise.all([
      contentsOf({ organizationId, bucket, ids }, part.given),
      refusedByList(organizationId, bucket, ids),
    ])
    part.resize(bytes)
    const startedAt = performance.now()
    const claimId = uuidv7()
    const claimed = await claimMails(claimSql, {
      organizationId,
      connectionId,
      bucket,
      claimId,
      ids: fitting,
      refused,
    })
    if (claimed.mails.length === 0) {
      await mailQueue.dropStale(sql, { organizationId, bucket, ids: fitting })
    }
    const pending = claimed.mails.map(({ id, recipient: to, flowId, ...stored }) => {
      const said = saidBy(id)
      const made = 'failed' in said ? said : { mail: { ...stored, ...said.parts, to } }
      const tags = tagsOf({ organizationId, bucket, id, flowId })
      return { id, job: jobOf(id, made, [...tags, ...('tags' in said ? said.tags : [])]) }
    })
    return { id: claimId, bucket, claimedAt: claimed.claimedAt, startedAt, pending }
  }

  /**
   * Contents of the API's mails, which are stored encrypted. Other contents come with the claim.
   * Mails that do not fit are left for the next claim.
   */
  async function contentsOf(
    wanted: { organizationId: string; bucket: string; ids: readonly string[] },
    mostBytes: number,
  ) {
    const fitting = await transactionalMails.listFitting(sql, wanted, mostBytes)
    const said = new Map<string, MailParts>()
    for (const { id, isSealed, sealed, tags } of fitting) {
      if (!isSealed) continue
      const found = sealed && openContent(content.keyring, wanted.organizationId, id, sealed)
      said.set(id, found ? { parts: await outgoing(found), tags: tags ?? [] } : UNREADABLE)
    }
    return {
      bytes: fitting.reduce((sum, { bytes }) => sum + bytes, 0),
      fitting: fitting.map(({ id }) => id),
      saidBy: (id: string): MailParts => said.get(id) ?? { parts: {}, tags: [] },
    }
  }

  /**
   * Mail that the suppression list forbids. It is looked up here because it knows addresses by keys
   * that Postgres does not have. Unsubscribed addresses still get receipts.
   */
  async function refusedByList(organizationId: string, bucket: string, ids: readonly string[]) {
    const found = await listToLookUp(sql, { organizationId, bucket, ids })
    const mails = found.map((mail) => ({
      ...mail,
      address: addressed(content.keyring, organizationId, mail.recipient),
    }))
    const addresses = mails.map(({ address }) => address)
    const reasonOf = await suppressions.lookUp(sql, organizationId, addresses)
    return mails.flatMap(({ id, source, address }) => {
      const listed = reasonOf(address)
      const reason = source === 'workflow' ? listed : refusalOfReceipt(listed)
      return reason === undefined ? [] : [{ id, reason }]
    })
  }
}
