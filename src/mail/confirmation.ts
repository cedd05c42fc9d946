import { EXPIRE_AFTER_MS, REMIND_AFTER_MS } from '../domain/consent/subscription.ts'
import { escapeHtml } from './liquid.ts'
import type { MergeData, RenderedMail, RenderReason } from './render.ts'

/** Names that a template of a confirmation mail declares and may use. */
export const CONFIRM_URL = 'confirmUrl'

/** The topic to confirm, the contact that is asked, and the organization that asks. */
export interface ConfirmationRequest {
  organization: { name: string }
  topic: { name: string }
  contact: NonNullable<MergeData['contact']>
  confirmUrl: string
  isReminder: boolean
}

/** Why a template rendered no mail that can be confirmed. */
export type ConfirmationProblem = RenderReason | 'no_confirm_link'

/** What a topic's own template may refer to. */
export const confirmationData = ({
  organization,
  contact,
  topic,
  confirmUrl,
}: ConfirmationRequest): MergeData => ({
  organization,
  contact,
  variables: { topic, [CONFIRM_URL]: confirmUrl },
})

/**
 * The mail of a topic's own template, with a subject if it has none. Undefined where the link is
 * missing from a part: such a mail could not be confirmed.
 */
export function checkedConfirmation(
  mail: RenderedMail,
  request: ConfirmationRequest,
): RenderedMail | undefined {
  const { confirmUrl } = request
  const hasLink = mail.html.includes(escapeHtml(confirmUrl)) && mail.text.includes(confirmUrl)
  if (!hasLink) return undefined
  return { ...mail, subject: mail.subject === '' ? subjectOf(request) : mail.subject }
}

const DAY_MS = 86_400_000
/** Characters that could break a subject into two headers. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

function subjectOf({ topic, isReminder }: ConfirmationRequest): string {
  const asked = `Please confirm: ${topic.name}`
  return (isReminder ? `Reminder: ${asked.charAt(0).toLowerCase()}${asked.slice(1)}` : asked)
    .replace(CONTROL, ' ')
    .trim()
}

/**
 * The mail of a topic without a template: the organization, the topic, one button, and what to do
 * if the person did not ask for it. Loads nothing and tracks nothing.
 */
export function plainConfirmation(request: ConfirmationRequest): RenderedMail {
  const { organization, topic, confirmUrl, isReminder } = request
  const subject = subjectOf(request)
  const opening = isReminder
    ? `A few days ago you were asked to confirm that you want to receive “${topic.name}” from ${organization.name}. You have not done so yet.`
    : `Please confirm that you want to receive “${topic.name}” from ${organization.name}.`
  const button = 'Confirm my subscription'
  const leftMs = isReminder ? EXPIRE_AFTER_MS - REMIND_AFTER_MS : EXPIRE_AFTER_MS
  const validity = `The link works for ${leftMs / DAY_MS} days.`
  const ignore =
    'If you did not ask for this, ignore it: without your confirmation you are not subscribed.'
  return {
    subject,
    text: `${opening}\n\n${button}:\n${confirmUrl}\n\n${validity}\n\n${ignore}\n`,
    html: page({ subject, opening, button, validity, ignore, url: confirmUrl }),
  }
}

interface Words {
  subject: string
  opening: string
  button: string
  validity: string
  ignore: string
  url: string
}

const FONT = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'

/** Tables and inline styles, which every mail program shows. */
const page = (words: Words): string => {
  const { subject, opening, button, validity, ignore, url } = {
    subject: escapeHtml(words.subject),
    opening: escapeHtml(words.opening),
    button: escapeHtml(words.button),
    validity: escapeHtml(words.validity),
    ignore: escapeHtml(words.ignore),
    url: escapeHtml(words.url),
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border-radius:12px">
<tr><td style="padding:36px 32px;${FONT};font-size:16px;line-height:1.55;color:#1f2430">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#1f2430">One more step</h1>
<p style="margin:0 0 24px">${opening}</p>
<table role="presentation" cellpadding="0" cellspacing="0"><tr><td style="border-radius:8px;background:#1d4ed8">
<a href="${url}" style="display:inline-block;padding:14px 26px;${FONT};font-size:16px;font-weight:600;color:#ffffff;text-decoration:none">${button}</a>
</td></tr></table>
<p style="margin:24px 0 0;font-size:14px;color:#4b5563">${validity} If the button does not, copy this address into your browser:<br><a href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a></p>
<p style="margin:24px 0 0;padding:20px 0 0;border-top:1px solid #e5e7eb;font-size:14px;color:#4b5563">${ignore}</p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}
