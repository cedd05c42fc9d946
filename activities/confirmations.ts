import { log } from '@temporalio/activity'
import { addressed } from '../src/addresses.ts'
import { EXPIRE_AFTER_MS } from '../src/domain/subscription.ts'
import { hashedId, uuidv7 } from '../src/ids.ts'
import { processRenderer } from '../src/mail/renderer.ts'
import * as confirmationMails from '../src/store/confirmation-mails.ts'
import * as confirmations from '../src/store/confirmations.ts'
import { enqueueAll, type OutletMessage } from '../src/store/messages.ts'
import { type Sql, type Transaction, transact } from '../src/store/sql.ts'
import { addressHash, signLink } from '../src/tokens.ts'
import type { BatchContentDeps } from './batch-mails.ts'
import { beating } from './beat.ts'
import { type ConfirmationMails, confirmationMails as mailsOf } from './confirmation-mails.ts'
import { untilRendered } from './rendering.ts'

/** Contacts of one transaction: whoever wants to leave meanwhile waits for it. */
const CONTACTS_A_STEP = 200
/** The first mail was counted and allowed when it was decided; a reminder is not yet. */
const FIRST_MAIL = 1
/** Statuses whose addresses take confirmation mail. */
const MAILABLE = ['active', 'unsubscribed']

export interface ConfirmationDeps {
  sql: Sql
  content: BatchContentDeps
}

/** Whose, and which. */
export interface Asked {
  organizationId: string
  which: confirmations.Which
}

export function createConfirmationActivities({ sql, content }: ConfirmationDeps) {
  const { keyring, publicUrl, renderer = processRenderer() } = content
  return {
    /**
     * Puts the first mail (1) or the reminder (2) into the outlet, for each confirmation that is
     * still awaited and has not had it, in bounded steps. Answers whether any is awaited still.
     *
     * The mail and the note that it was decided are one transaction: however often this runs, and
     * wherever it is interrupted, each is mailed once.
     */
    mailConfirmations: (input: Asked & { mail: number }): Promise<boolean> =>
      beating(async () => {
        while (await transact(sql, (tx) => mailSome(tx, input)));
        return confirmations.anyAwaited(sql, input.organizationId, input.which)
      }),

    /** What nobody confirmed is over: `unsubscribed`. */
    expireConfirmations: ({ organizationId, which }: Asked): Promise<void> =>
      beating(async () => {
        const step = (tx: Transaction) =>
          confirmations.expire(tx, organizationId, which, CONTACTS_A_STEP)
        while ((await transact(sql, step)).more);
      }),
  }

  /** True when there may be others. */
  async function mailSome(
    tx: Transaction,
    { organizationId, which, mail }: Asked & { mail: number },
  ): Promise<boolean> {
    const wanted = { mail, limit: CONTACTS_A_STEP }
    const taken = await confirmations.takeUnmailed(tx, organizationId, which, wanted)
    const { awaited, more } = taken
    if (awaited.length === 0) return more
    const topicIds = [...new Set(awaited.map(({ topicId }) => topicId))]
    const asking = await confirmations.listAsking(tx, organizationId, topicIds)
    const topics = new Map(asking.map((each) => [each.topicId, mailsOf(each, renderer, warn)]))
    const mayMail = await limiter(tx, organizationId, mail, awaited)
    const now = Date.now()
    const decided = awaited.map((one) => {
      const { contactId, topicId, generation, email } = one
      const topic = topics.get(topicId)
      if (email === null || topic === undefined || !mayMail(one)) return { ...one, mailId: null }
      const token = signLink(keyring, 'confirm', {
        organizationId,
        contactId,
        topicId,
        generation,
        addressHash: addressHash(organizationId, email),
        expiresAt: now + EXPIRE_AFTER_MS,
      })
      const request = {
        contact: { ...one, id: contactId },
        confirmUrl: `${publicUrl}/confirm/${token}`,
        isReminder: mail > FIRST_MAIL,
      }
      const mailId = uuidv7()
      const message = {
        organizationId,
        id: mailId,
        dedupeKey: hashedId('confirmation', contactId, topicId, generation, mail),
        source: 'confirmation' as const,
        connectionId: topic.connectionId,
        contactId,
        recipient: email,
        from: topic.from,
      }
      return { ...one, mailId, toMake: { topic, request, message } }
    })
    const mails = await made(decided.flatMap((each) => ('toMake' in each ? [each.toMake] : [])))
    await enqueueAll(tx, mails)
    if (mail > FIRST_MAIL) {
      const addresses = mails.map(({ recipient }) => addressed(keyring, organizationId, recipient))
      await confirmationMails.record(tx, organizationId, addresses)
    }
    await confirmations.noteMails(tx, organizationId, mail, decided)
    return more
  }

  /** Whether one more mail may go to somebody: their address takes it, and not too many today. */
  async function limiter(
    tx: Transaction,
    organizationId: string,
    mail: number,
    awaited: readonly confirmations.Awaited[],
  ): Promise<(one: confirmations.Awaited) => boolean> {
    const isMailable = ({ emailStatus }: confirmations.Awaited) =>
      emailStatus !== null && MAILABLE.includes(emailStatus)
    if (mail === FIRST_MAIL) return isMailable
    const emails = new Set(awaited.flatMap(({ email }) => email ?? []))
    const addresses = new Map(
      [...emails].map((email) => [email, addressed(keyring, organizationId, email)]),
    )
    const today = await confirmationMails.countToday(tx, organizationId, [...addresses.values()])
    return (one) => {
      const address = addresses.get(one.email ?? '')
      return isMailable(one) && address !== undefined && today.takeOne(address)
    }
  }
}

interface ToMake {
  topic: ConfirmationMails
  request: Parameters<ConfirmationMails['make']>[0][number]
  message: Omit<OutletMessage, 'subject'>
}

/** The mails of each topic at once. */
async function made(all: readonly ToMake[]): Promise<OutletMessage[]> {
  const messages: OutletMessage[] = []
  for (const topic of new Set(all.map((each) => each.topic))) {
    const ofTopic = all.filter((each) => each.topic === topic)
    const mails = await untilRendered(() => topic.make(ofTopic.map(({ request }) => request)))
    for (const [index, mail] of mails.entries()) {
      const message = ofTopic[index]?.message
      if (message) messages.push({ ...message, ...mail })
    }
  }
  return messages
}

const warn = (problem: object): void =>
  log.warn('A confirmation template could not be used; the plain mail was', { ...problem })
