import { createHash } from 'node:crypto'
import { formatAddress } from '../src/mail/headers.ts'
import {
  type ConfirmationProblem,
  type ConfirmationRequest,
  type ConfirmationTemplate,
  plainConfirmation,
} from '../src/mail/confirmation.ts'
import { type RenderedMail, RenderError } from '../src/mail/render.ts'
import { type Renderer, RendererBusy } from '../src/mail/renderer.ts'
import type { Asking } from '../src/store/confirmations.ts'

/** The mails of a step are made in its transaction, which nobody may hold for long. */
const PATIENCE_MS = 4_000
/** Problems that all mails of a template have, and that each costs its time. */
const COSTLY: readonly ConfirmationProblem[] = ['render_timeout', 'too_large']

/** Why a topic's own template could not be used; told once for all mails of a step. */
export type TellProblem = (problem: { topicId: string; problem: ConfirmationProblem }) => void

type Request = Omit<ConfirmationRequest, 'organization' | 'topic'>

/** Makes the confirmation mails of one topic. */
export interface ConfirmationMails {
  connectionId: string
  from: string
  /** One mail for each request. Throws RendererBusy. */
  make: (requests: readonly Request[]) => Promise<RenderedMail[]>
}

/**
 * Of the topic's own template, or a plain one where there is none or where it makes no mail with a
 * link: a person who was asked must be able to answer. Undefined: the topic has nothing to send
 * from.
 */
export function confirmationMails(
  asking: Asking,
  renderer: Renderer,
  tell: TellProblem,
): ConfirmationMails | undefined {
  const { topicId, connectionId, subject, html, text } = asking
  if (connectionId === null || asking.from === null) return undefined
  const template = html === null || text === null ? undefined : { subject, html, text }
  const told = new Set<ConfirmationProblem>()
  const note = (problem: ConfirmationProblem): undefined => {
    if (!told.has(problem)) tell({ topicId, problem })
    told.add(problem)
  }

  async function ownMail(making: Promise<RenderedMail | null>): Promise<RenderedMail | undefined> {
    try {
      return (await making) ?? note('no_confirm_link')
    } catch (error) {
      if (error instanceof RenderError) return note(error.reason)
      // There is no time left because of the template itself.
      if (error instanceof RendererBusy && COSTLY.some((each) => told.has(each))) return undefined
      throw error
    }
  }

  async function ownMails(of: ConfirmationTemplate, requests: readonly ConfirmationRequest[]) {
    const said = JSON.stringify([of.subject, of.html, of.text])
    const key = createHash('sha256').update(said).digest('base64')
    const call = { owner: `topic ${topicId}`, by: performance.now() + PATIENCE_MS }
    const making = renderer.confirmations({ ...of, key }, requests, call)
    const mails: (RenderedMail | undefined)[] = []
    // In their order: what is told of a template is told before what is decided by it.
    for (const one of making) mails.push(await ownMail(one))
    return mails
  }

  return {
    connectionId,
    from: formatAddress(asking.from, asking.fromName),
    make: async (requests) => {
      const whole = requests.map((request) => ({
        ...request,
        organization: { name: asking.organizationName },
        topic: { name: asking.topicName },
      }))
      const own = template && (await ownMails(template, whole))
      return whole.map((request, index) => own?.[index] ?? plainConfirmation(request))
    },
  }
}
