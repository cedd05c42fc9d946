import { createHash } from 'node:crypto'
import type { Sender } from '../../src/core/content/compose.ts'
import {
  checkedConfirmation,
  confirmationData,
  type ConfirmationProblem,
  type ConfirmationRequest,
  plainConfirmation,
} from '../../src/mail/confirmation.ts'
import { type RenderedMail, RenderError } from '../../src/mail/render.ts'
import { type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import type { ConfirmationTopic } from '../../src/store/consent/confirmations.ts'

/** Emails of a step are rendered in its transaction, which must not stay open for long. */
const RENDER_TIMEOUT_MS = 4_000
/** Problems that all emails of a template have, and that cost time each time. */
const COSTLY: readonly ConfirmationProblem[] = ['render_timeout', 'too_large']

/** Called once for all emails of a step with the reason why a topic's own template was not used. */
export type ReportProblem = (problem: { topicId: string; problem: ConfirmationProblem }) => void

type Request = Omit<ConfirmationRequest, 'brand' | 'topic'>

export interface ConfirmationMails {
  connectionId: string
  sender: Sender
  make: (requests: readonly Request[]) => Promise<RenderedMail[]>
}

/**
 * Returns the renderer of a topic's emails: from its own template, or plain ones if there is none
 * or if it renders no confirmation link, since people must be able to confirm. Undefined: the topic
 * has no account or no sender.
 */
export function confirmationMails(
  topic: ConfirmationTopic & { organizationId: string },
  renderer: Renderer,
  report: ReportProblem,
): ConfirmationMails | undefined {
  const { organizationId, topicId, connectionId, subject, html, text } = topic
  if (connectionId === null || topic.from === null) return undefined
  const reported = new Set<ConfirmationProblem>()
  const note = (problem: ConfirmationProblem): undefined => {
    if (!reported.has(problem)) report({ topicId, problem })
    reported.add(problem)
  }

  async function ownMail(
    making: Promise<RenderedMail> | undefined,
    request: ConfirmationRequest,
  ): Promise<RenderedMail | undefined> {
    try {
      const mail = await making
      return (mail && checkedConfirmation(mail, request)) ?? note('no_confirm_link')
    } catch (error) {
      if (error instanceof RenderError) return note(error.reason)
      // The template itself used up the time.
      if (error instanceof RendererBusy && COSTLY.some((each) => reported.has(each)))
        return undefined
      throw error
    }
  }

  async function ownMails(requests: readonly ConfirmationRequest[]) {
    if (html === null || text === null) return []
    const key = createHash('sha256')
      .update(JSON.stringify([subject, html, text]))
      .digest('base64')
    const template = { key, content: { subject, html, text }, marketing: false }
    const call = {
      organization: organizationId,
      content: `topic ${topicId}`,
      by: performance.now() + RENDER_TIMEOUT_MS,
    }
    const making = renderer.mails(template, requests.map(confirmationData), call)
    const mails: (RenderedMail | undefined)[] = []
    // In order, so that a problem of the template is known before the next email depends on it.
    for (const [index, one] of requests.entries()) mails.push(await ownMail(making[index], one))
    return mails
  }

  return {
    connectionId,
    sender: { from: { address: topic.from, name: topic.fromName }, replyTo: null },
    make: async (requests) => {
      const completeRequests = requests.map((request) => ({
        ...request,
        brand: topic.brand,
        topic: { name: topic.topicName },
      }))
      const own = await ownMails(completeRequests)
      return completeRequests.map((request, index) => own[index] ?? plainConfirmation(request))
    },
  }
}
