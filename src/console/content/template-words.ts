import type { Schemas } from '../../client/index.ts'
import { STATUSES } from '../lib/statuses.ts'

export type TemplateStatus = Schemas['Template']['status']

export const isTemplateStatus = (text: unknown): text is TemplateStatus =>
  typeof text === 'string' && Object.hasOwn(STATUSES.template, text)

export const TEMPLATE_STATUS_CHOICES = Object.entries(STATUSES.template).map(
  ([value, { word }]) => ({ value, label: word }),
)
