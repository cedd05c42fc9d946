import { EMAIL_STATUSES, type EmailStatus } from '../../domain/status.ts'

export type SuppressionReason = Exclude<EmailStatus, 'active'>

const isNotActive = (status: EmailStatus): status is SuppressionReason => status !== 'active'

export const SUPPRESSION_REASONS = EMAIL_STATUSES.filter(isNotActive)

export const isSuppressionReason = (text: unknown): text is SuppressionReason =>
  SUPPRESSION_REASONS.some((reason) => reason === text)
