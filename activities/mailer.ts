import type { OutgoingMail } from '../src/core/content/compose.ts'
import type { Check } from '../src/domain/accounts/verification.ts'
import type { IamRole } from '../src/domain/accounts/iam-role.ts'

/** One mail to one recipient, as it goes to the provider. */
export interface Mail extends OutgoingMail {
  tags: { name: string; value: string }[]
  /** Absent: the identity's own, if it has one. */
  configurationSet?: string
}

/** How one call ended. Only `unknown` leaves open whether the provider accepted the mail. */
export type Outcome =
  | { kind: 'sent'; messageId: string }
  /** The provider refuses this mail for good; `ofSender`: and would any other from this sender. */
  | { kind: 'refused'; reason: string; error: string; ofSender?: true }
  /** Not accepted: the account is over its rate or its 24-hour quota. */
  | { kind: 'throttled'; scope: 'rate' | 'quota' }
  /**
   * Not accepted: nothing can be sent through this account any more, or, `ofSender`, from this
   * sender.
   */
  | { kind: 'unavailable'; reason: string; error: string; ofSender?: true }
  /**
   * Not accepted: no connection, or the provider says it is down. `own`: only this organization's
   * role or credentials are in the way, not the account that others may share.
   */
  | { kind: 'unreachable'; error: string; own?: boolean }
  | { kind: 'unknown'; error: string }

/** A role, and the configuration set that its mail names; null: none. */
export type SendingRole = IamRole & { configurationSet?: string | null }

export interface Call {
  iamRole: SendingRole
  /** The time of the claim, by Postgres' clock: the call is signed with it and never again. */
  signedAt: Date
  /** On `performance.now()`'s scale: a call that has not begun by then does not begin. */
  beginBy: number
}

export interface Mailer {
  send(mail: Mail, call: Call): Promise<Outcome | { kind: 'not_begun' }>
  close(): Promise<void>
}

interface Verification {
  checks: Check[]
  /** Mails a second and in 24 hours; null when the account did not say. */
  maxSendRate: number | null
  max24Hour: number | null
  sentLast24Hours: number | null
  /** As SES writes it; null when the account did not say. */
  pricingPlan: string | null
  /** An address that mail may come from; null: no verified identity was found. */
  from: string | null
}

export interface Verifier {
  /** Never throws for what the provider says or does not say: that is in the checks. */
  verify(iamRole: IamRole & { eventQueueUrl?: string | null }): Promise<Verification>
  /**
   * Whether a mail to the simulator is accepted with the configuration set; undefined: the provider
   * did not say.
   */
  acceptsConfigurationSet(
    iamRole: IamRole,
    mail: { from: string; configurationSet: string },
  ): Promise<boolean | undefined>
}
