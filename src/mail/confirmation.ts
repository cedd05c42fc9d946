import { type Brand, buttonColors, colorOr, linkColor, mailBrand } from '../domain/content/brand.ts'
import { sayAs } from '../domain/content/wording.ts'
import { EXPIRE_AFTER_MS, REMIND_AFTER_MS } from '../domain/consent/subscription.ts'
import { escapeHtml } from './liquid.ts'
import type { MergeData, RenderedMail, RenderReason } from './render.ts'

export const CONFIRM_URL = 'confirmUrl'

export interface ConfirmationRequest {
  brand: Brand
  topic: { name: string }
  contact: NonNullable<MergeData['contact']>
  confirmUrl: string
  isReminder: boolean
}

export type ConfirmationProblem = RenderReason | 'no_confirm_link'

export const confirmationData = ({
  brand,
  contact,
  topic,
  confirmUrl,
}: ConfirmationRequest): MergeData => ({
  organization: mailBrand(brand),
  contact,
  variables: { topic, [CONFIRM_URL]: confirmUrl },
})

/**
 * Returns the email of a topic's own template, with a default subject if it has none. Undefined:
 * the link is missing from a part, so the email could not confirm anything.
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
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

function subjectOf({ brand, topic, isReminder }: ConfirmationRequest): string {
  const say = sayAs(brand)
  return say(isReminder ? 'confirmation.reminder' : 'confirmation.subject', { topic: topic.name })
    .replace(CONTROL, ' ')
    .trim()
}

/**
 * The email of a topic without a template: the organization, the topic, one button, and what to do
 * if the person did not ask for it. It loads nothing and tracks nothing.
 */
export function plainConfirmation(request: ConfirmationRequest): RenderedMail {
  const { brand, topic, confirmUrl, isReminder } = request
  const say = sayAs(brand)
  const leftMs = isReminder ? EXPIRE_AFTER_MS - REMIND_AFTER_MS : EXPIRE_AFTER_MS
  const words: Words = {
    subject: subjectOf(request),
    heading: say('confirmation.heading'),
    opening: say(isReminder ? 'confirmation.openingAgain' : 'confirmation.opening', {
      topic: topic.name,
      organization: brand.name,
    }),
    button: say('confirmation.button'),
    validity: say('confirmation.validity', { days: leftMs / DAY_MS }),
    copy: say('confirmation.copy'),
    ignore: say('confirmation.ignore'),
    url: confirmUrl,
  }
  const { subject, opening, button, validity, ignore } = words
  const sender = brand.postalAddress === null ? '' : `\n${brand.name}\n${brand.postalAddress}\n`
  return {
    subject,
    text: `${opening}\n\n${button}:\n${confirmUrl}\n\n${validity}\n\n${ignore}\n${sender}`,
    html: page(words, brand),
  }
}

type Words = Record<
  'subject' | 'heading' | 'opening' | 'button' | 'validity' | 'copy' | 'ignore' | 'url',
  string
>

const FONT = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
const ACCENT = '#1d4ed8'
const BACKGROUND = '#f3f4f6'

function page(words: Words, brand: Brand): string {
  const escaped = Object.fromEntries(
    Object.entries(words).map(([name, text]) => [name, escapeHtml(text)]),
  )
  const { subject, heading, opening, button, validity, copy, ignore, url } = escaped
  const colors = buttonColors(brand, ACCENT)
  const background = colorOr(brand.backgroundColor, BACKGROUND)
  return `<!doctype html>
<html lang="${brand.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background:${background}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${background}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border-radius:12px">
<tr><td style="padding:36px 32px;${FONT};font-size:16px;line-height:1.55;color:#1f2430">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#1f2430">${heading}</h1>
<p style="margin:0 0 24px">${opening}</p>
<table role="presentation" cellpadding="0" cellspacing="0"><tr><td style="border-radius:8px;background:${colors.background}">
<a ses:no-track href="${url}" style="display:inline-block;padding:14px 26px;${FONT};font-size:16px;font-weight:600;color:${colors.text};text-decoration:none">${button}</a>
</td></tr></table>
<p style="margin:24px 0 0;font-size:14px;color:#4b5563">${validity} ${copy}<br><a ses:no-track href="${url}" style="color:${linkColor(brand.accentColor, ACCENT)};word-break:break-all">${url}</a></p>
<p style="margin:24px 0 0;padding:20px 0 0;border-top:1px solid #e5e7eb;font-size:14px;color:#4b5563">${ignore}</p>${senderLine(brand)}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

function senderLine({ name, postalAddress }: Brand): string {
  if (postalAddress === null) return ''
  const lines = [name, ...postalAddress.split('\n')].map(escapeHtml).join(' &middot; ')
  return `\n<p style="margin:16px 0 0;font-size:12px;color:#4b5563">${lines}</p>`
}
