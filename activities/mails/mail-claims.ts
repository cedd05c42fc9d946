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
 * Limit of the contents of all mails in flight of a process. Above it, a claim takes one mail, and
 * only of a connection without mails in flight. Contents take several times that as strings and
 * again in their requests.
 */
const HELD_BYTES = 24 * 1024 * 1024

/** Parts and tags of a mail of the API, or the reason why they are unavailable. */
type MailParts =
  | { parts: Partial<OutgoingMail>; tags: transactionalMails.Tag[] }
  | { failed: Refusal }

/** Claimed mails with their jobs. */
export interface Claim {
  id: string
  bucket: string
  /** Time of the claim by the clock of Postgres. */
  claimedAt: string
  /** Time before the claim, on the scale of `performance.now()`. */
  startedAt: number
  pending: { id: string; job: Job }[]
  /** Bytes of their contents, which are held until their calls have ended. */
  part: HeldPart
}

const UNREADABLE: MailParts = {
  failed: { reason: 'content_lost', error: 'The content cannot be decrypted' },
}

export interface MailClaimDeps {
  sql: Sql
  claimSql: Sql
  /** The suppression list stores HMACs of addresses under these keys. */
  content: { keyring: Keyring }
  /** Bytes that the process holds. Absent: these claims are the only ones of the process. */
  held?: HeldBytes
}

/** Returns the room for contents that all claims of a process share. */
export const createMailBytes = (): HeldBytes => createHeldBytes(HELD_BYTES)

/** Claims single mail for a process. The contents are held until the mails are sent. */
export function createMailClaims({
  sql,
  claimSql,
  content,
  held = createMailBytes(),
}: MailClaimDeps) {
  return { isFull: held.isFull, claim }

  /** Claims mails and makes their jobs. */
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
    // Read before the claim: every call must begin within a second after it.
    const [{ fittingIds, partsOf, bytes }, refused] = await Promise.all([
      contentsOf({ organizationId, bucket, ids }, part.given),
      refusedByList(organizationId, bucket, ids),
    ])
    part.resize(bytes)
    const startedAt = performance.now()
    const claimId = uuidv7()
    const { mails, claimedAt } = await claimMails(claimSql, {
      organizationId,
      connectionId,
      bucket,
      claimId,
      ids: fittingIds,
      refused,
    })
    if (mails.length === 0) {
      await mailQueue.dropStale(sql, { organizationId, bucket, ids: fittingIds })
    }
    const pending = mails.map(({ id, recipient: to, flowId, ...stored }) => {
      const content = partsOf(id)
      const mail = 'failed' in content ? content : { mail: { ...stored, ...content.parts, to } }
      const tags = tagsOf({ organizationId, bucket, id, flowId })
      return { id, job: jobOf(id, mail, [...tags, ...('tags' in content ? content.tags : [])]) }
    })
    return { id: claimId, bucket, claimedAt, startedAt, pending }
  }

  /**
   * Returns the contents of the API's mails, which are stored encrypted. Other contents come with
   * the claim. Mails that do not fit wait for the next claim.
   */
  async function contentsOf(
    wanted: { organizationId: string; bucket: string; ids: readonly string[] },
    mostBytes: number,
  ) {
    const fittingMails = await transactionalMails.listFitting(sql, wanted, mostBytes)
    const partsById = new Map<string, MailParts>()
    for (const { id, isSealed, sealed, tags } of fittingMails) {
      if (!isSealed) continue
      const mail = sealed && openContent(content.keyring, wanted.organizationId, id, sealed)
      partsById.set(id, mail ? { parts: await outgoing(mail), tags: tags ?? [] } : UNREADABLE)
    }
    return {
      bytes: fittingMails.reduce((sum, { bytes }) => sum + bytes, 0),
      fittingIds: fittingMails.map(({ id }) => id),
      partsOf: (id: string): MailParts => partsById.get(id) ?? { parts: {}, tags: [] },
    }
  }

  /**
   * Returns mails that the suppression list forbids. The list is read here because it stores HMACs
   * whose keys Postgres does not have. Unsubscribed addresses still get receipts.
   */
  async function refusedByList(organizationId: string, bucket: string, ids: readonly string[]) {
    const unlistedMails = await listToLookUp(sql, { organizationId, bucket, ids })
    const mails = unlistedMails.map((mail) => ({
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
