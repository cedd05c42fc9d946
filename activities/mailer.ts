import type { OutgoingMail } from '../src/core/content/compose.ts'
import type { Check } from '../src/domain/accounts/verification.ts'
import type { IamRole } from '../src/domain/accounts/iam-role.ts'
import type { Lane } from '../src/domain/mails/mail-priority.ts'
import { lengthOf, type SlottedText, textOf } from '../src/mail/slotted-text.ts'

export interface Mail extends OutgoingMail {
  tags: { name: string; value: string }[]
  /** The parts of a mail of a compiled content, whose `html` and `text` are joined when read. */
  slotted?: Slotted
}

interface Slotted {
  html: SlottedText
  text: SlottedText
}

/** Returns the mail with these parts. It holds its own values, and no text that others share. */
export const withSlotted = (mail: Mail, { html, text }: Slotted): Mail => ({
  ...mail,
  slotted: { html, text },
  get html() {
    return textOf(html)
  },
  get text() {
    return textOf(text)
  },
})

export const charactersOf = (mail: Mail): number =>
  mail.slotted
    ? lengthOf(mail.slotted.html) + lengthOf(mail.slotted.text)
    : (mail.html?.length ?? 0) + (mail.text?.length ?? 0)

/** Outcome of one call. Only `unknown` leaves open whether the provider accepted the mail. */
export type Outcome =
  | { kind: 'sent'; messageId: string }
  /** The provider permanently refuses this mail. `ofSender`: and any other from this sender. */
  | { kind: 'refused'; reason: string; error: string; ofSender?: true }
  /** Not accepted: the account is over its rate or its 24-hour quota. */
  | { kind: 'throttled'; scope: 'rate' | 'quota' }
  /** Not accepted: the account can no longer send. `ofSender`: not from this sender. */
  | { kind: 'unavailable'; reason: string; error: string; ofSender?: true }
  | { kind: 'unreachable'; error: string; own?: boolean }
  | { kind: 'unknown'; error: string }

export type SendingRole = IamRole & { configurationSet?: string | null }

export interface Call {
  iamRole: SendingRole
  /** Time of the claim by Postgres' clock. The call is signed with it once. */
  signedAt: Date
  beginBy: number
  /** Absent: the identity's own, if it has one. */
  configurationSet?: string
  /** Lane of the call. Calls of higher lanes get a free socket first. Absent: transactional. */
  lane?: Lane
}

export interface Mailer {
  send(mail: Mail, call: Call): Promise<Outcome | { kind: 'not_begun' }>
  close(): Promise<void>
}

interface Verification {
  checks: Check[]
  /** Mails a second and in 24 hours. Null: the account did not say. */
  maxSendRate: number | null
  max24Hour: number | null
  sentLast24Hours: number | null
  /** Plan as SES writes it. Null: the account did not say. */
  pricingPlan: string | null
  from: string | null
}

export interface Verifier {
  /** Does not throw for the provider's answers or silence, which are in the checks. */
  verify(iamRole: IamRole & { eventQueueUrl?: string | null }): Promise<Verification>
  /**
   * Returns whether a mail to the simulator is accepted with the configuration set. Undefined: the
   * provider gave no answer.
   */
  acceptsConfigurationSet(
    iamRole: IamRole,
    mail: { from: string; configurationSet: string },
  ): Promise<boolean | undefined>
}
