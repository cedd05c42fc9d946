import {
  compose,
  type LinkDeps,
  linksOf,
  listIdOf,
  type Sender,
} from '../../src/core/content/compose.ts'
import { variablesOf } from '../../src/core/content/batch-variables.ts'
import { mailBrand } from '../../src/domain/content/brand.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import { timeOf } from '../../src/runtime/ids.ts'
import { compileMails, type MailMaker } from '../../src/mail/compiled-mails.ts'
import { type MergeData, RenderError, type RenderedMail } from '../../src/mail/render.ts'
import type { MailTemplate } from '../../src/mail/works.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import type { VariantContent } from '../../src/store/batches/batch-variants.ts'
import type { Context } from '../../src/store/batches/batch-runs.ts'
import type { Recipient } from '../../src/store/delivery/claim-range.ts'
import { type Job, jobOf, type JobSource } from '../calls.ts'
import { withSlotted } from '../mailer.ts'

export interface BatchContentDeps extends LinkDeps {
  /** Absent: the renderer of the process. */
  renderer?: Renderer
}

interface BatchOf {
  organizationId: string
  batchId: string
  batch: Context
  /** Contents of the variants of an A/B test. */
  variants?: readonly VariantContent[]
}

/** One version of a batch's content. */
interface Version {
  template: MailTemplate & { key: string }
  sender: Sender
  /** Undefined: a thread renders all mails of this version. */
  make: MailMaker | undefined
}

/** Makes the mails of a batch. */
export interface BatchMails {
  /**
   * Returns a job for each recipient, or the reason why its mail cannot be made. Undefined: there
   * was no time to render it before `by`, on `performance.now()`'s scale.
   */
  jobs(recipients: readonly Recipient[], by: number): JobSource[]
  /** Returns true if a thread has rendered or will render a mail, as far as is known. */
  needsThread(): boolean
}

/** Limit of makers that a process caches. Compiling takes as long as making a few mails. */
const MOST_CACHED = 20

/** Returns a maker of batch mails: one per recipient, each with its own unsubscribe link. */
export function batchMails({ renderer = processRenderer(), ...links }: BatchContentDeps) {
  const makerOf = createMakers()

  return (batchOf: BatchOf): BatchMails => {
    const { organizationId, batch, variants = [] } = batchOf
    const withMaker = (content: ContentFields): Version => {
      const version = versionOf(batch, content)
      return { ...version, make: makerOf(version.template) }
    }
    const own = withMaker(batch)
    const versions = variants.map(withMaker)
    let needsThread = [own, ...versions].some(({ make }) => !make)
    const versionFor = ({ variant }: Recipient) =>
      (variant === null ? undefined : versions[variant]) ?? own
    const dataOf = dataOfBatch(links, batchOf)
    const ownMail = (recipient: Recipient): OwnMail => ({
      recipient,
      version: versionFor(recipient),
      data: dataOf(recipient),
    })
    const jobOfMail = composer(links, batchOf)

    /** Makes the mail in this process, or in a thread if its maker is not certain. */
    const jobOfMaker = async (mail: OwnMail, make: MailMaker, by: number): Promise<Job> => {
      const compiledMail = make(mail.data)
      if (!compiledMail) {
        needsThread = true
        const call = { organization: organizationId, by }
        return jobOfMail(mail, renderAll(renderer, [mail], call).get(mail))
      }
      const { subject, ...parts } = compiledMail
      const job = await jobOfMail(mail, { subject, html: null, text: null })
      return 'mail' in job ? { ...job, mail: withSlotted(job.mail, parts) } : job
    }

    return {
      needsThread: () => needsThread,
      jobs: (recipients, by) => {
        const inThread = recipients.filter((each) => !versionFor(each).make).map(ownMail)
        const rendered = renderAll(renderer, inThread, { organization: organizationId, by })
        const jobs = new Map(
          inThread.map((mail) => [
            mail.recipient,
            settled(mail.recipient, () => jobOfMail(mail, rendered.get(mail))),
          ]),
        )
        return recipients.map((recipient) => {
          const { make } = versionFor(recipient)
          return make
            ? () => settled(recipient, () => jobOfMaker(ownMail(recipient), make, by))
            : (jobs.get(recipient) ?? Promise.resolve(undefined))
        })
      },
    }
  }
}

/** Returns a function that compiles a content, or takes it from the cache of the process. */
function createMakers() {
  const makers = new Map<string, MailMaker | undefined>()
  return ({ key, content }: Version['template']): MailMaker | undefined => {
    if (makers.has(key)) return makers.get(key)
    const [oldest] = makers.keys()
    if (makers.size >= MOST_CACHED && oldest !== undefined) makers.delete(oldest)
    const maker = compileMails(content)
    makers.set(key, maker)
    return maker
  }
}

/** Returns a function that makes the values of one recipient's mail. */
function dataOfBatch(links: LinkDeps, { organizationId, batchId, batch }: BatchOf) {
  const organization = mailBrand(batch.brand)
  return (recipient: Recipient) => {
    const { variant: _, ...contact } = recipient
    const { email, contactId } = contact
    const mailed = { organizationId, contactId, email, topicId: batch.topicId, batchId }
    return {
      contact: { ...contact, id: contactId },
      organization,
      ...linksOf(links, mailed, timeOf(batch.bucket)),
      variables: variablesOf(batch.variableMappings, contact),
    }
  }
}

/** Returns a function that composes one recipient's mail from its rendered parts. */
function composer({ publicUrl }: LinkDeps, { organizationId, batchId, batch }: BatchOf) {
  const { bucket, topicId } = batch
  const listId = listIdOf(publicUrl, { organizationId, topicId })
  return async (
    { recipient: { id, email }, version, data: { unsubscribeUrl } }: OwnMail,
    rendered: Parameters<typeof compose>[2]['rendered'],
  ): Promise<Job> => {
    const content = { rendered, isMarketing: true }
    const to = { email, unsubscribeUrl, listId }
    const composedMail = await compose('batch', version.sender, content, to)
    return jobOf(id, composedMail, tagsOf({ organizationId, bucket, id, batchId }))
  }
}

interface OwnMail {
  recipient: Recipient
  version: Version
  data: MergeData & { unsubscribeUrl: string }
}

/** Returns undefined if the renderer had no time. A mail that cannot be made fails alone. */
async function settled({ id }: Recipient, make: () => Promise<Job>): Promise<Job | undefined> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof RendererBusy) return undefined
    const reason = error instanceof RenderError ? error.reason : 'render_failed'
    return { id, failed: { reason, error: error instanceof Error ? error.message : '' } }
  }
}

/** Renders mails of several versions. Mails of one version are rendered together. */
function renderAll(
  renderer: Renderer,
  mails: readonly OwnMail[],
  call: { organization: string; by: number },
): Map<OwnMail, Promise<RenderedMail> | undefined> {
  const rendered = new Map<OwnMail, Promise<RenderedMail> | undefined>()
  for (const version of new Set(mails.map((mail) => mail.version))) {
    const { template } = version
    const same = mails.filter((mail) => mail.version === version)
    const data = same.map((mail) => mail.data)
    const renderedMails = renderer.mails(template, data, { ...call, content: template.key })
    for (const [n, mail] of same.entries()) rendered.set(mail, renderedMails[n])
  }
  return rendered
}

function versionOf(
  { fromAddress, replyTo }: Context,
  { contentId, subject, contentHtml: html, contentText: text, fromName }: ContentFields,
): Omit<Version, 'make'> {
  return {
    template: { key: `${contentId} ${subject}`, content: { subject, html, text }, marketing: true },
    sender: { from: { address: fromAddress, name: fromName }, replyTo },
  }
}

type ContentFields = Omit<VariantContent, 'position'>
