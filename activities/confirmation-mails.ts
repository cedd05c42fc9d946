import { formatAddress } from '../src/mail/headers.ts'
import {
  type ConfirmationProblem,
  type ConfirmationRequest,
  confirmationRenderer,
  plainConfirmation,
} from '../src/mail/confirmation.ts'
import { type RenderedMail, RenderError } from '../src/mail/render.ts'
import type { Asking } from '../src/store/confirmations.ts'
import { patiently } from './batch-mails.ts'

/** Why a topic's own template could not be used; told once for all mails of a step. */
export type TellProblem = (problem: { topicId: string; problem: ConfirmationProblem }) => void

/** Makes the confirmation mails of one topic. */
export interface ConfirmationMails {
  connectionId: string
  from: string
  make: (request: Omit<ConfirmationRequest, 'organization' | 'topic'>) => RenderedMail
}

/**
 * Of the topic's own template, or a plain one where there is none or where it makes no mail with a
 * link: a person who was asked must be able to answer. Undefined: the topic has nothing to send
 * from.
 */
export function confirmationMails(
  asking: Asking,
  tell: TellProblem,
): ConfirmationMails | undefined {
  const { topicId, connectionId, subject, html, text } = asking
  if (connectionId === null || asking.from === null) return undefined
  const render = html === null || text === null ? undefined : parse({ subject, html, text })
  const told = new Set<ConfirmationProblem>()
  const note = (problem: ConfirmationProblem): undefined => {
    if (!told.has(problem)) tell({ topicId, problem })
    told.add(problem)
  }

  function parse(template: Parameters<typeof confirmationRenderer>[0]) {
    const renderer = confirmationRenderer(template)
    return (request: ConfirmationRequest): RenderedMail | undefined => {
      try {
        return patiently(() => renderer(request)) ?? note('no_confirm_link')
      } catch (error) {
        if (!(error instanceof RenderError)) throw error
        return note(error.reason)
      }
    }
  }

  return {
    connectionId,
    from: formatAddress(asking.from, asking.fromName),
    make: (request) => {
      const whole = {
        ...request,
        organization: { name: asking.organizationName },
        topic: { name: asking.topicName },
      }
      return render?.(whole) ?? plainConfirmation(whole)
    },
  }
}
