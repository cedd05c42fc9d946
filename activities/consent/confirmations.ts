import { log } from '@temporalio/activity'
import { addressed } from '../../src/keys/addresses.ts'
import { compose } from '../../src/core/content/compose.ts'
import { EXPIRE_AFTER_MS } from '../../src/domain/consent/subscription.ts'
import { hashedId, uuidv7 } from '../../src/runtime/ids.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import * as confirmationMails from '../../src/store/consent/confirmation-mails.ts'
import { countToday } from '../../src/core/consent/confirmation-quota.ts'
import { expire, lockUnmailed } from '../../src/core/consent/double-opt-in.ts'
import * as confirmations from '../../src/store/consent/confirmations.ts'
import { enqueueAll, type SingleMail } from '../../src/store/mails/enqueue-mails.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import { addressHash, signLink } from '../../src/keys/tokens.ts'
import type { BatchContentDeps } from '../batches/batch-mails.ts'
import { withHeartbeat } from '../with-heartbeat.ts'
import { type ConfirmationMails, confirmationMails as mailsOf } from './confirmation-mails.ts'
import { untilRendered } from '../content/rendering.ts'

/** Contacts of one transaction. A person who unsubscribes meanwhile waits for it. */
const CONTACTS_A_STEP = 200
/** The first email was counted and allowed when it was decided. A reminder was not. */
const FIRST_MAIL = 1
const MAILABLE = ['active', 'unsubscribed']

export interface ConfirmationDeps {
  sql: Sql
  content: BatchContentDeps
}

export interface ConfirmationInput {
  organizationId: string
  which: confirmations.ConfirmationSet
}

export function createConfirmationActivities({ sql, content }: ConfirmationDeps) {
  const { keyring, publicUrl, renderer = processRenderer() } = content
  return {
    /**
     * Enqueues the first email (1) or the reminder (2) of each awaited confirmation that has not
     * had it, in bounded steps. Returns the milliseconds since the oldest awaited one was
     * requested, by the clock of Postgres. Null: none is awaited.
     *
     * The email and the record of its decision are one transaction: however often this runs or is
     * interrupted, each email is enqueued once.
     */
    mailConfirmations: (input: ConfirmationInput & { mail: number }): Promise<number | null> =>
      withHeartbeat(async () => {
        while (await transact(sql, (tx) => mailSome(tx, input)));
        return confirmations.awaitedForMs(sql, input.organizationId, input.which)
      }),

    expireConfirmations: ({ organizationId, which }: ConfirmationInput): Promise<void> =>
      withHeartbeat(async () => {
        const step = (tx: Transaction) => expire(tx, organizationId, which, CONTACTS_A_STEP)
        while ((await transact(sql, step)).more);
      }),
  }

  async function mailSome(
    tx: Transaction,
    { organizationId, which, mail }: ConfirmationInput & { mail: number },
  ): Promise<boolean> {
    const selection = { mail, limit: CONTACTS_A_STEP }
    const unmailed = await lockUnmailed(tx, organizationId, which, selection)
    const { awaited, more } = unmailed
    if (awaited.length === 0) return more
    const topicIds = [...new Set(awaited.map(({ topicId }) => topicId))]
    const mailed = await confirmations.listTopics(tx, organizationId, topicIds)
    const topics = new Map(
      mailed.map((each) => [each.topicId, mailsOf({ ...each, organizationId }, renderer, warn)]),
    )
    const mayMail = await mailLimit(tx, organizationId, mail, awaited)
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
      }
      return { ...one, mailId, toRender: { topic, request, message } }
    })
    const mails = await renderMails(
      decided.flatMap((each) => ('toRender' in each ? [each.toRender] : [])),
    )
    await enqueueAll(tx, mails)
    if (mail > FIRST_MAIL) {
      const addresses = mails.map(({ recipient }) => addressed(keyring, organizationId, recipient))
      await confirmationMails.record(tx, organizationId, addresses)
    }
    await confirmations.recordMails(tx, organizationId, mail, decided)
    return more
  }

  /** Returns whether one more email may go to a contact, by its status and the day's limit. */
  async function mailLimit(
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
    const today = await countToday(tx, organizationId, [...addresses.values()])
    return (one) => {
      const address = addresses.get(one.email ?? '')
      return isMailable(one) && address !== undefined && today.tryAdd(address)
    }
  }
}

interface ToRender {
  topic: ConfirmationMails
  request: Parameters<ConfirmationMails['make']>[0][number]
  message: Omit<SingleMail, 'from' | 'subject'>
}

async function renderMails(all: readonly ToRender[]): Promise<SingleMail[]> {
  const messages: SingleMail[] = []
  for (const topic of new Set(all.map((each) => each.topic))) {
    const ofTopic = all.filter((each) => each.topic === topic)
    const mails = await untilRendered(() => topic.make(ofTopic.map(({ request }) => request)))
    for (const [index, { message }] of ofTopic.entries()) {
      const content = { rendered: mails[index], isMarketing: false }
      const recipient = { email: message.recipient }
      const composedMail = await compose('confirmation', topic.sender, content, recipient)
      if ('failed' in composedMail) throw new Error(composedMail.failed.error)
      messages.push({ ...message, ...composedMail.mail })
    }
  }
  return messages
}

const warn = (problem: object): void =>
  log.warn('A confirmation template could not be used; the plain mail was', { ...problem })
