import type { MailFilter, MailSummary } from '../mails.ts'
import { html, type Markup } from './html.ts'
import { layout, when } from './layout.ts'
import { outcomeChip } from './outcome.ts'

interface ListPage {
  filter: MailFilter
  mails: MailSummary[]
  cursor: string | null
  faults: string[]
}

export function listPage({ filter, mails, cursor, faults }: ListPage): Markup {
  const isFiltered = Boolean(filter.search || filter.account || filter.batch)
  return layout(
    'Inbox',
    'inbox',
    html`
${alarm(faults)}
<form class="filter" method="get" action="/">
<input type="search" name="search" placeholder="Recipient or subject" aria-label="Recipient or subject" value="${filter.search}">
<input name="account" placeholder="Account" aria-label="Account" inputmode="numeric" value="${filter.account}">
<input name="batch" placeholder="Batch" aria-label="Batch" value="${filter.batch}">
<button>Search</button>
</form>
<div class="card">${mails.length === 0 ? nothing(isFiltered) : html`<ol class="mails">${mails.map(row)}</ol>`}</div>
<div class="pages">
<span>${filter.cursor ? html`<a href="${address({ ...filter, cursor: undefined })}">← Newest</a>` : null}</span>
<span>${cursor ? html`<a href="${address({ ...filter, cursor })}">Older →</a>` : null}</span>
</div>`,
  )
}

const alarm = (faults: string[]): Markup | null =>
  faults.length === 0
    ? null
    : html`<p class="alarm">Something is made to go wrong: ${faults.join(', ')}. <a href="/status"><u>Status</u></a></p>`

const nothing = (isFiltered: boolean): Markup =>
  isFiltered
    ? html`<p class="empty">No mail like this. <a href="/"><u>Show all</u></a></p>`
    : html`<p class="empty">No mail yet. What your accounts send through the sandbox shows up here.</p>`

const row = (mail: MailSummary): Markup => html`<li><a href="/mails/${mail.id}">
<span class="who">${mail.recipient}</span>
<span class="what">${mail.subject || '(no subject)'}</span>
${outcomeChip(mail.outcome)}
${when(mail.acceptedAt)}
</a></li>`

function address({ search, account, batch, cursor }: MailFilter): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ search, account, batch, cursor })) {
    if (value) query.set(name, value)
  }
  return query.size === 0 ? '/' : `/?${query.toString()}`
}
