import type { Account } from './accounts.ts'
import type { Faults } from './faults.ts'

/** Fate of a mail to one recipient. */
export type Outcome =
  | 'delivered'
  | 'bounced'
  | 'complained'
  /** On SES' global suppression list (the simulator's suppressionlist@). */
  | 'suppressed'
  /** On the account's suppression list. */
  | 'listed'
  /** Delivered and never opened. */
  | 'quiet'
  /** Accepted, but its template could not be rendered. */
  | 'unrendered'

type EventKind =
  | 'Send'
  | 'Delivery'
  | 'Bounce'
  | 'Complaint'
  | 'Open'
  | 'Click'
  | 'Rendering Failure'

export interface PlannedEvent {
  kind: EventKind
  /** Time in the event. */
  occursAt: number
  /** Time of its delivery. */
  dueAt: number
}

const SIMULATOR =
  /^(success|bounce|complaint|suppressionlist|ooto)(?:\+[^@]*)?@simulator\.amazonses\.com$/i

const SIMULATED: Record<string, Outcome> = {
  success: 'delivered',
  bounce: 'bounced',
  complaint: 'complained',
  suppressionlist: 'suppressed',
  ooto: 'quiet',
}

export const isSimulator = (address: string): boolean => SIMULATOR.test(address)

/** SES developer guide, "Using the mailbox simulator". */
export function outcomeOf(address: string, listed: boolean): Outcome {
  const box = SIMULATOR.exec(address)?.[1]?.toLowerCase()
  if (box !== undefined) return SIMULATED[box] ?? 'delivered'
  return listed ? 'listed' : 'delivered'
}

interface Accepted {
  /** UUID of the mail. Its random end decides who opens and clicks, so the result never changes. */
  id: string
  acceptedAt: number
  outcome: Outcome
  /** The Send event of a mail to several recipients belongs to the first one. */
  isFirst: boolean
}

const OPEN_AFTER_MS = 100
const OPEN_SPREAD_MS = 1_500
const CLICK_AFTER_MS = 400
const COMPLAINT_AFTER_MS = 500

/** Plans all events of one mail and recipient. */
export function planEvents(mail: Accepted, account: Account, faults: Faults): PlannedEvent[] {
  const { deliveryDelayMs, openPercent, clickPercent } = account.engagement
  const { acceptedAt, outcome, isFirst } = mail
  const send: [EventKind, number][] = isFirst ? [['Send', acceptedAt]] : []
  const delivered = acceptedAt + deliveryDelayMs
  const [openDraw, clickDraw, spread] = draws(mail.id)

  const events = ((): [EventKind, number][] => {
    switch (outcome) {
      case 'unrendered':
        return [['Rendering Failure', acceptedAt]]
      case 'bounced':
      case 'suppressed':
      case 'listed':
        return [...send, ['Bounce', delivered]]
      case 'complained':
        return [...send, ['Delivery', delivered], ['Complaint', delivered + COMPLAINT_AFTER_MS]]
      case 'quiet':
        return [...send, ['Delivery', delivered]]
      case 'delivered': {
        const opened = delivered + OPEN_AFTER_MS + Math.floor(spread * OPEN_SPREAD_MS)
        const opens = openDraw * 100 < openPercent
        const clicks = opens && clickDraw * 100 < clickPercent
        return [
          ...send,
          ['Delivery', delivered],
          ...(opens ? [['Open', opened] satisfies [EventKind, number]] : []),
          ...(clicks ? [['Click', opened + CLICK_AFTER_MS] satisfies [EventKind, number]] : []),
        ]
      }
    }
  })()
  return events.map(([kind, occursAt]) => ({
    kind,
    occursAt,
    dueAt:
      faults.eventDelayMs +
      (faults.eventShuffle
        ? acceptedAt + Math.floor(Math.random() * faults.eventShuffleMs)
        : occursAt),
  }))
}

/** Three numbers from 0 to 1 from the random end of a UUID. */
function draws(id: string): [number, number, number] {
  const part = (from: number): number => Number.parseInt(id.slice(from, from + 4), 16) / 0x10000
  return [part(24), part(28), part(32)]
}
