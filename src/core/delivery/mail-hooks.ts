import { type MailFacts, SUPPRESSED } from '../../domain/delivery/delivery.ts'
import { engagementsOf } from '../../domain/delivery/engagement.ts'
import { isByMachine, type SesEvent } from '../../domain/delivery/ses-event.ts'
import type { HookEventType } from '../../domain/hooks/hook-event.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as deliveryEvents from '../../store/delivery/delivery-events.ts'
import type * as mailFacts from '../../store/delivery/mail-facts.ts'
import type { HookFact } from '../../store/hooks/hook-facts.ts'

/** A mail before and after events. */
export interface ChangedMail {
  before: mailFacts.MailRow
  after: mailFacts.MailRow
  events: readonly SesEvent[]
}

/**
 * Returns what webhook endpoints may want to know of changed mails. Opens and clicks are those of
 * people, and a click counts once for each link of a mail. Mail of other programs and erased mail
 * is left out. Called before the events are stored.
 */
export async function hookFactsOf(
  tx: Transaction,
  changedMails: readonly ChangedMail[],
): Promise<HookFact[]> {
  const toldMails = changedMails.filter(
    ({ before }) => before.source !== 'external' && before.recipient !== null,
  )
  const facts = toldMails.flatMap((mail) => [...factsOfMail(mail), ...clicksOf(mail)])
  return withoutRepeatedClicks(tx, toldMails, facts)
}

const isSuppressed = ({ bounceSubType }: MailFacts): boolean =>
  SUPPRESSED.includes(bounceSubType ?? '')

function factsOfMail({ before, after, events }: ChangedMail): HookFact[] {
  const facts: HookFact[] = []
  const tell = (
    type: HookEventType,
    occurredAt: string | null,
    more: Pick<HookFact, 'toldApartBy' | 'extra'> = {},
  ): void => {
    if (occurredAt !== null) facts.push({ ...aboutMail(before), type, occurredAt, ...more })
  }
  if (before.state !== 'sent' && after.state === 'sent') tell('email.sent', after.sentAt)
  if (before.deliveredAt === null) tell('email.delivered', after.deliveredAt)
  if (before.humanOpenedAt === null && after.humanOpenedAt !== null) {
    const opening = events.find((event) => engagementsOf(event).includes('opened'))
    tell('email.opened', after.humanOpenedAt, { extra: extraOf(opening?.data ?? {}, 'userAgent') })
  }
  const hasWorseBounce =
    after.bounceType !== before.bounceType || after.bounceSubType !== before.bounceSubType
  if (after.bouncedAt !== null && (before.bouncedAt === null || hasWorseBounce)) {
    const toldApartBy = `${after.bounceType} ${after.bounceSubType}`
    tell(isSuppressed(after) ? 'email.suppressed' : 'email.bounced', after.bouncedAt, {
      toldApartBy,
    })
  }
  if (before.complainedAt === null) tell('email.complained', after.complainedAt)
  if (before.status !== 'failed' && after.status === 'failed') {
    tell('email.failed', events.at(-1)?.occurredAt ?? null, { toldApartBy: 'event' })
  }
  return facts
}

const aboutMail = (mail: mailFacts.MailRow) => ({
  organizationId: mail.organizationId,
  contactId: mail.contactId,
  mail: { bucket: mail.bucket, id: mail.id, source: mail.source },
})

function extraOf(
  { link: url, userAgent }: SesEvent['data'],
  ...names: ('url' | 'userAgent')[]
): Record<string, string> {
  const known = { url, userAgent }
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = known[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

/** Clicks by people, the first on each link among these events. */
function clicksOf({ before, events }: ChangedMail): HookFact[] {
  const byLink = new Map<string, HookFact>()
  for (const event of events) {
    const { link } = event.data
    if (link === undefined || !engagementsOf(event).includes('clicked')) continue
    const { occurredAt, data } = event
    const known = byLink.get(String(link))
    if (known !== undefined && known.occurredAt <= occurredAt) continue
    byLink.set(String(link), {
      ...aboutMail(before),
      type: 'email.clicked',
      occurredAt,
      toldApartBy: String(link),
      extra: extraOf(data, 'url', 'userAgent'),
    })
  }
  return [...byLink.values()]
}

/** Leaves out clicks on links that were clicked by a person before. */
async function withoutRepeatedClicks(
  tx: Transaction,
  toldMails: readonly ChangedMail[],
  facts: readonly HookFact[],
): Promise<HookFact[]> {
  const clickedAgain = toldMails.filter(
    ({ before, events }) =>
      before.humanClickedAt !== null && events.some(({ kind }) => kind === 'click'),
  )
  if (clickedAgain.length === 0) return [...facts]
  const storedClicks = await deliveryEvents.listClicks(
    tx,
    clickedAgain.map(({ before }) => before),
  )
  const knownLinks = new Set(
    storedClicks
      .filter(({ data }) => !isByMachine('click', data['userAgent']))
      .map(({ id, data }) => `${id} ${data['link']}`),
  )
  return facts.filter(
    ({ type, mail, toldApartBy }) =>
      type !== 'email.clicked' || !knownLinks.has(`${mail?.id} ${toldApartBy}`),
  )
}
