import type { Schemas } from '../../client/index.ts'
import { ago, counted, moment } from '../lib/format.ts'
import { Mark } from '../ui/status.tsx'

export type Webhook = Schemas['WebhookEndpoint']

/** Whether an endpoint is called, and whether its receiver answers. */
export function WebhookMark({ webhook: { enabled, failingSince } }: { webhook: Webhook }) {
  if (!enabled) return <Mark tone="gone">Disabled</Mark>
  return failingSince === null ? (
    <Mark tone="good">Enabled</Mark>
  ) : (
    <Mark tone="bad">Its calls fail</Mark>
  )
}

const DISABLED: Record<string, string> = {
  requested: 'Somebody here, or a program, disabled it.',
  failing: 'No call had succeeded for 72 hours.',
  gone: 'Its receiver answered 410: it is gone for good.',
}

/** Where an endpoint stands, and what happens next, in sentences. */
export function stateSentence(webhook: Webhook): string {
  const { enabled, disabledReason, disabledAt, failingSince, nextTryAt, pending } = webhook
  const waiting = pending === 0 ? '' : ` ${counted(pending, 'event waits', 'events wait')}.`
  if (!enabled) {
    const when = disabledAt === null ? '' : ` since ${moment(disabledAt)}`
    const why = DISABLED[disabledReason ?? ''] ?? ''
    return `Disabled${when}. ${why} Events are held for three days.${waiting}`
  }
  if (failingSince !== null) {
    const next = nextTryAt === null ? '' : ` The next call is ${ago(nextTryAt)}.`
    return `No call has succeeded since ${moment(failingSince)}.${next}${waiting}`
  }
  return `It is called whenever one of its events happens.${waiting}`
}

/** What an endpoint is called: a description is optional. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description ?? url
