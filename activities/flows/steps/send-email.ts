import { storageFull } from '../../../src/core/access/plan.ts'
import { mailBrand } from '../../../src/domain/content/brand.ts'
import { type NoSender, resolveSender } from '../../../src/core/accounts/resolve-sender.ts'
import { compose, type LinkDeps, linksOf, listIdOf } from '../../../src/core/content/compose.ts'
import type { MailingType } from '../../../src/domain/flows/flow.ts'
import { PRODUCTION_TIMINGS } from '../../../src/domain/delivery/timings.ts'
import { hashedId, type Uuid, uuidv7 } from '../../../src/runtime/ids.ts'
import type { MergeData } from '../../../src/mail/render.ts'
import { latestEvent } from '../../../src/store/flows/execution-events.ts'
import * as flowMails from '../../../src/store/flows/mails.ts'
import { enqueue } from '../../../src/store/mails/enqueue-mails.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import { processRenderer } from '../../../src/mail/renderer.ts'
import type { BatchContentDeps } from '../../batches/batch-mails.ts'
import { flowContents } from '../flow-mails.ts'
import { untilRendered } from '../../content/rendering.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from './step.ts'

type Run = StepRun<MailingType>
type Failed = Extract<StepOutcome, { kind: 'failed' }>
type Addressee = flowMails.Addressee & { email: string }

const failed = (reason: string, error: string): Failed => ({ kind: 'failed', reason, error })

/**
 * Reasons for which the mail queue skipped a mail, and which no longer hold while the step still
 * runs.
 */
const MADE_ANEW = ['address_changed', 'execution_ended']
/** A provider call may have begun, so that it is not known whether the person has the mail. */
const IN_DOUBT = ['claimed', 'unknown']

export interface SendEmailDeps extends BatchContentDeps {
  /** Time after the claim for which the step waits for a mail in doubt. Then it goes on. */
  awaitedMs?: number
}

/**
 * Sends one mail to the contact: writes it into the mail queue together with the step, and waits
 * for its outcome. A contact that may not be mailed is skipped, and the execution goes on; the mail
 * queue checks again before it sends. A mail that cannot be made or is refused fails the execution
 * here.
 */
export function createSendEmail(deps: SendEmailDeps): StoredStep<MailingType> {
  const { keyring, publicUrl, renderer = processRenderer() } = deps
  const { awaitedMs = PRODUCTION_TIMINGS.awaitedMs } = deps
  const making = { links: { keyring, publicUrl }, contentOf: flowContents(renderer) }
  return {
    where: 'control',
    locksContact: false,
    enter: async (tx, run) => (await earlier(tx, run, awaitedMs)) ?? decide(tx, run, making),
    resume: async (tx, run) => {
      const { organizationId } = run.execution
      if (run.mailId === null) return decide(tx, run, making)
      const mail = await flowMails.find(tx, organizationId, run.mailId)
      switch (mail?.state) {
        case 'sent':
          return sent(mail)
        case 'failed':
          return failed(mail.reason ?? 'failed', mail.error ?? 'The mail was not sent')
        case 'skipped':
          if (MADE_ANEW.includes(mail.reason ?? '')) return decide(tx, run, making)
          if (mail.reason === 'contact_deleted') return gone
          return { kind: 'skipped', reason: mail.reason ?? 'skipped', result: { mailId: mail.id } }
        case 'queued':
          return (await earlier(tx, run, awaitedMs)) ?? waitFor(mail.id)
        case 'claimed':
        case 'unknown':
          return awaitOutcome(mail, run, awaitedMs)
        case undefined:
          return failed('mail_lost', 'The mail is not in the ledger any more')
      }
    },
  }
}

interface Making {
  links: LinkDeps
  contentOf: ReturnType<typeof flowContents>
}

/** Waits for a mail in doubt. After a while the step goes on anyway. */
function awaitOutcome(
  { id, claimedAt }: flowMails.FlowMail,
  { now }: Run,
  awaitedMs: number,
): StepOutcome {
  if (claimedAt === null) return waitFor(id)
  const until = Date.parse(claimedAt) + awaitedMs
  if (Date.parse(now) < until) return waitFor(id, new Date(until).toISOString())
  return { kind: 'done', result: { mailId: id, outcome: 'unknown' } }
}

/** Enqueues the mail in the transaction that stores the position of the step. */
async function decide(tx: Transaction, run: Run, making: Making): Promise<StepOutcome> {
  const { execution, step } = run
  const { organizationId, contactId } = execution
  const topicId = step.config.topicId ?? null
  const addressee = await flowMails.findAddressee(tx, organizationId, contactId, topicId)
  if (!addressee) return gone
  const { email, emailStatus, topicStatus, hasStorageRoom } = addressee
  if (email === null) return { kind: 'skipped', reason: 'no_address' }
  if (emailStatus !== 'active') return { kind: 'skipped', reason: emailStatus ?? 'no_address' }
  if (topicId !== null && topicStatus !== 'subscribed') {
    return { kind: 'skipped', reason: 'topic_unsubscribed' }
  }
  if (!hasStorageRoom) return failed('plan_limit', storageFull().message)
  const to = { ...addressee, email }
  const sender = await senderOf(tx, run, to)
  if ('problem' in sender) return withoutSender(sender)
  const content = await untilRendered(() => making.contentOf(tx, execution, step))
  if (!('render' in content)) return { kind: 'failed', ...content }
  const event = await latestEvent(tx, organizationId, execution.id)
  const id = uuidv7()
  const data = dataOf(run, making.links, to, { event, mailId: id })
  const listId = listIdOf(making.links.publicUrl, { organizationId, topicId })
  const composedMail = await untilRendered(() =>
    compose(
      'workflow',
      { from: sender, replyTo: sender.replyTo },
      { rendered: content.render(data), isMarketing: content.isMarketing },
      { email, unsubscribeUrl: data.unsubscribeUrl, listId },
    ),
  )
  if ('failed' in composedMail) return { kind: 'failed', ...composedMail.failed }

  const isNew = await enqueue(tx, {
    organizationId,
    id,
    dedupeKey: keyOf(run, run.try, run.mailId),
    source: 'workflow',
    contactId,
    executionId: execution.id,
    ...(topicId === null ? {} : { topicId }),
    ...(content.templateId === null ? {} : { templateId: content.templateId }),
    connectionId: sender.connectionId,
    recipient: email,
    ...composedMail.mail,
  })
  if (!isNew) return failed('mailed_before', 'A mail of this try was decided before')
  return waitFor(id)
}

function dataOf(
  run: Run,
  links: LinkDeps,
  to: Addressee,
  { event, mailId }: { event: MergeData['event'] | undefined; mailId: Uuid },
) {
  const { organizationId, data } = run.execution
  const { topicId, variables } = run.step.config
  const mailed = { organizationId, contactId: to.id, email: to.email, topicId, mailId }
  return {
    contact: to,
    organization: mailBrand(to.brand),
    trigger: { data },
    ...(event === undefined ? {} : { event }),
    ...linksOf(links, mailed, Date.parse(run.now)),
    ...(variables === undefined ? {} : { variables }),
  }
}

/** The contact was deleted, which ends its executions. This one has not been ended yet. */
const gone: StepOutcome = { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }

const waitFor = (mailId: Uuid, until: string | null = null): StepOutcome => ({
  kind: 'wait',
  status: 'active',
  until,
  mailId,
})

const sent = ({ id, messageId }: flowMails.FlowMail): StepOutcome => ({
  kind: 'done',
  result: { mailId: id, messageId },
})

/**
 * Returns the key of the mail, one for each decision. `previous` is the mail of the same try that
 * this one replaces.
 */
const keyOf = ({ execution, step, visit }: Run, tryNumber: number, previous: Uuid | null): Uuid =>
  hashedId('flow-mail', execution.id, step.id, visit, tryNumber, previous ?? '')

/**
 * Finds mails of earlier tries. A mail that was sent, perhaps according to a late event, is not
 * sent again. A mail that may be on its way is awaited. Undefined: neither exists.
 */
async function earlier(
  tx: Transaction,
  run: Run,
  awaitedMs: number,
): Promise<StepOutcome | undefined> {
  if (run.try === 1) return undefined
  const { execution } = run
  const mails = await flowMails.listOfExecution(tx, execution.organizationId, execution)
  const byKey = new Map(mails.map((mail) => [mail.dedupeKey, mail]))
  const before: flowMails.FlowMail[] = []
  for (let tryNumber = 1; tryNumber < run.try; tryNumber++) {
    let mail = byKey.get(keyOf(run, tryNumber, null))
    for (; mail; mail = byKey.get(keyOf(run, tryNumber, mail.id))) before.push(mail)
  }
  const delivered = before.find(({ state }) => state === 'sent')
  if (delivered) {
    const visit = { executionId: execution.id, stepId: run.step.id, visit: run.visit }
    await flowMails.standFor(tx, execution.organizationId, visit, delivered.id)
    return sent(delivered)
  }
  const inDoubt = before.find(({ state }) => IN_DOUBT.includes(state))
  return inDoubt && awaitOutcome(inDoubt, run, awaitedMs)
}

/**
 * Returns the sender and its account: those of the step, otherwise of the topic, otherwise the only
 * account.
 */
const senderOf = (tx: Transaction, { execution, step }: Run, to: Addressee) => {
  const { from, fromName, replyTo, cloudAccountId } = step.config
  return resolveSender(tx, execution.organizationId, {
    from: from ?? to.topicFrom,
    fromName: from === undefined ? (fromName ?? to.topicFromName) : fromName,
    replyTo,
    cloudAccountId: cloudAccountId ?? to.topicConnectionId,
  })
}

function withoutSender({ problem, message }: NoSender): Failed {
  switch (problem) {
    case 'no_from':
      return failed('no_sender', 'Neither the step nor its topic has a from')
    case 'bad_name':
      return failed('bad_sender', message)
    case 'several':
      return failed('no_account', 'Several accounts: the step names none')
    case 'disconnected':
      return failed('disconnected', 'Its account is disconnected')
    default:
      return failed('no_account', 'No account is connected')
  }
}
