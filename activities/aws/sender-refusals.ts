import type { Mail } from '../mailer.ts'

const NOT_VERIFIED = /\bnot verified\b/i
const ABOUT_FROM = /\bfrom ?(?:email ?)?address\b/i
const ADDRESSES = /[^\s<>(),;:"']+@[^\s<>(),;:"']+/g
const REFUSED = ['MessageRejected', 'BadRequestException', 'ValidationException']

/**
 * Returns whether SES refused a mail because of its sender, so that it would refuse any other from
 * there.
 *
 * `MessageRejected` tells it in words: "Email address is not verified. The following identities
 * failed the check in region EU-WEST-1: …" (SES developer guide, "Amazon SES email sending
 * errors"). An account in SES' sandbox sends to verified recipients only, and a refusal because of
 * them names only them.
 */
export function isOfSender(
  name: string,
  message: string,
  { from, to }: Pick<Mail, 'from' | 'to'>,
): boolean {
  if (name === 'MailFromDomainNotVerifiedException') return true
  if (!REFUSED.includes(name)) return false
  if (!NOT_VERIFIED.test(message)) return ABOUT_FROM.test(message)
  const namedAddresses = addressesIn(message)
  return (
    namedAddresses.includes(addressesIn(from).at(-1) ?? '') ||
    !namedAddresses.includes(to.toLowerCase())
  )
}

const addressesIn = (text: string): string[] => text.toLowerCase().match(ADDRESSES) ?? []
