import type { MailEvent, MailView } from '../mails.ts'
import { sourceOf } from '../mime.ts'
import { html, type Markup } from './html.ts'
import { layout, when } from './layout.ts'
import { outcomeChip } from './outcome.ts'

export const TABS = ['html', 'text', 'headers', 'source', 'events'] as const
export type Tab = (typeof TABS)[number]

const NAMES: Record<Tab, string> = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  source: 'Source',
  events: 'Events',
}

/** One mail. Its HTML is shown in a sandboxed frame. */
export async function mailPage(mail: MailView, wantedTab: Tab | undefined): Promise<Markup> {
  const tab = wantedTab ?? (mail.html === null ? 'text' : 'html')
  return layout(
    mail.subject || '(no subject)',
    'inbox',
    html`
<a class="crumb" href="/">← Inbox</a>
<h1>${mail.subject || '(no subject)'}</h1>
<dl class="facts">
<dt>From</dt><dd>${mail.from}</dd>
<dt>To</dt><dd>${mail.recipients.join(', ')}</dd>
<dt>Accepted</dt><dd>${when(mail.acceptedAt)} ${outcomeChip(mail.outcome)}</dd>
<dt>Account</dt><dd>${mail.account} · ${mail.region}</dd>
${mail.batch ? html`<dt>Batch</dt><dd><a href="/?batch=${mail.batch}"><u>${mail.batch}</u></a></dd>` : null}
</dl>
<div class="card">
<div class="tabs">${TABS.map((each) => tabLink(mail, each, each === tab))}</div>
${await panel(mail, tab)}
</div>`,
  )
}

function tabLink({ id, events }: MailView, tab: Tab, isHere: boolean): Markup {
  const name = tab === 'events' ? `${NAMES.events} (${events.length})` : NAMES[tab]
  const href = `/mails/${id}?tab=${tab}`
  return isHere
    ? html`<a href="${href}" aria-current="page">${name}</a>`
    : html`<a href="${href}">${name}</a>`
}

async function panel(mail: MailView, tab: Tab): Promise<Markup> {
  switch (tab) {
    case 'html':
      return mail.html === null
        ? html`<p class="empty">This mail has no HTML part.</p>`
        : html`<iframe sandbox="" src="/mails/${mail.id}/html" title="The mail's HTML"></iframe>`
    case 'text':
      return mail.text === null
        ? html`<p class="empty">This mail has no text part.</p>`
        : html`<pre>${mail.text}</pre>`
    case 'headers':
      return headers(mail)
    case 'source':
      return html`<pre>${await sourceOf(mail)}</pre>`
    case 'events':
      return events(mail.events)
  }
}

const headers = (mail: MailView): Markup => html`<div class="scroll"><table><tbody>
${pair('Message id', mail.messageId)}
${mail.configurationSet === null ? null : pair('Configuration set', mail.configurationSet)}
${mail.replyTo.length === 0 ? null : pair('Reply-To', mail.replyTo.join(', '))}
${mail.cc.length === 0 ? null : pair('Cc', mail.cc.join(', '))}
${mail.bcc.length === 0 ? null : pair('Bcc', mail.bcc.join(', '))}
${mail.headers.map(({ name, value }) => pair(name, value))}
${mail.tags.map(({ name, value }) => pair(`Tag ${name}`, value))}
</tbody></table></div>`

const pair = (name: string, value: string): Markup =>
  html`<tr><td class="name">${name}</td><td class="value">${value}</td></tr>`

const STATES: Record<MailEvent['state'], string> = {
  pending: 'warn',
  delivered: 'good',
  dropped: 'bad',
}

const events = (list: MailEvent[]): Markup =>
  list.length === 0
    ? html`<p class="empty">No events: the account had no webhook when this mail was accepted.</p>`
    : html`<div class="scroll"><table>
<thead><tr><th>Event</th><th>Happened</th><th>Webhook</th><th class="num">Tries</th></tr></thead>
<tbody>${list.map(
        (event) => html`<tr>
<td>${event.kind}${event.link ? html`<br><span class="soft">${event.link}</span>` : null}</td>
<td>${when(event.occursAt)}</td>
<td><span class="chip ${STATES[event.state]}">${event.state}</span></td>
<td class="num">${event.attempts}</td>
</tr>`,
      )}</tbody></table></div>`
