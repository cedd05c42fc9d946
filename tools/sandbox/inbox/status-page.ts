import type { Account } from '../accounts.ts'
import type { Faults } from '../faults.ts'
import type { Counts } from '../mails.ts'
import type { EventStats } from '../pump.ts'
import { html, type Markup } from './html.ts'
import { layout } from './layout.ts'

interface StatusPage {
  counts: Counts
  events: EventStats
  accounts: (Account & { sentLast24Hours: number })[]
  faults: Faults
}

const NAMES: Record<keyof Faults, string> = {
  throttlePercent: 'Throttled, %',
  serverErrorPercent: 'Server error, not accepted, %',
  acceptThenResetPercent: 'Accepted, then reset, %',
  acceptThenErrorPercent: 'Accepted, then server error, %',
  stallBeforePercent: 'Stalled before accepting, %',
  stallAfterPercent: 'Stalled after accepting, %',
  stallMs: 'A stall lasts, ms',
  halfOpenPercent: 'Never answered, %',
  latencyMs: 'Latency of every send, ms',
  dailyQuotaExceeded: 'Daily quota exceeded',
  suspended: 'Account suspended',
  sendingPaused: 'Sending paused',
  mailFromNotVerified: 'MAIL FROM not verified',
  denyAssumeRole: 'AssumeRole denied',
  assumeRoleLatencyMs: 'AssumeRole slower by, ms',
  assumeRoleThrottlePercent: 'AssumeRole throttled, %',
  readLatencyMs: 'Reads slower by, ms',
  readThrottlePercent: 'Reads throttled, %',
  eventDelayMs: 'Events late by, ms',
  eventDuplicatePercent: 'Events posted twice, %',
  eventShuffle: 'Events in any order',
  eventShuffleMs: 'Any order within, ms',
  eventsOff: 'Events never made',
  eventsUntagged: 'Events without tags',
  eventsStopped: 'Events stopped',
}

export const statusPage = ({ counts, events, accounts, faults }: StatusPage): Markup =>
  layout(
    'Status',
    'status',
    html`
<h1>Status</h1>
<div class="figures">
${figure('mails accepted', counts.accepted)}${figure('mailed twice', counts.duplicates)}
${figure('events to post', events.pending)}${figure('events delivered', events.delivered)}
${figure('events retried', events.retried)}${figure('events dropped', events.dropped)}
</div>
${duplicates(counts)}
<h2>Accounts</h2>
<div class="card">${accounts.length === 0 ? html`<p class="empty">No account is set up.</p>` : accountTable(accounts)}</div>
<h2>What goes wrong</h2>
<form class="card" method="post" action="/status">
<div class="switches">${Object.entries(faults).map(([name, value]) => control(name, value))}</div>
<div class="actions"><button>Apply</button><button class="quiet" name="reset" value="yes">All off</button></div>
</form>`,
  )

const figure = (name: string, value: number): Markup =>
  html`<div><b>${value.toLocaleString('en')}</b><span>${name}</span></div>`

const duplicates = ({ recipients }: Counts): Markup | null =>
  recipients.length === 0
    ? null
    : html`<p class="alarm">More than once: ${recipients.map(({ recipient, count }) => `${recipient} (${count})`).join(', ')}</p>`

const accountTable = (accounts: StatusPage['accounts']): Markup => html`<div class="scroll"><table>
<thead><tr><th>Account</th><th>State</th><th class="num">Rate</th><th class="num">Last 24 h</th><th>Identities</th><th>Webhooks</th></tr></thead>
<tbody>${accounts.map(
  (account) => html`<tr>
<td>${account.accountNumber}<br><span class="soft">${account.region}</span></td>
<td>${state(account)}</td>
<td class="num">${account.maxSendRate}/s</td>
<td class="num">${account.sentLast24Hours.toLocaleString('en')}<br><span class="soft">of ${account.max24Hour < 0 ? '∞' : account.max24Hour.toLocaleString('en')}</span></td>
<td>${account.identities.map(({ identity, verified }) => html`<div>${identity}${verified ? '' : ' (pending)'}</div>`)}</td>
<td>${account.webhooks.length}</td>
</tr>`,
)}</tbody></table></div>`

function state({ sendingEnabled, enforcementStatus, productionAccess }: Account): Markup {
  if (enforcementStatus === 'SHUTDOWN') return html`<span class="chip bad">shut down</span>`
  if (!sendingEnabled) return html`<span class="chip bad">paused</span>`
  if (enforcementStatus === 'PROBATION') return html`<span class="chip warn">probation</span>`
  return productionAccess
    ? html`<span class="chip good">healthy</span>`
    : html`<span class="chip">SES sandbox</span>`
}

/** Durations that matter only together with another switch and are always set. */
const NO_FAULT_ALONE = ['stallMs', 'eventShuffleMs']

export const switchedOn = (faults: Faults): string[] =>
  Object.entries(faults)
    .filter(([name, value]) => !NO_FAULT_ALONE.includes(name) && Boolean(value))
    .map(([name]) =>
      nameOf(name)
        .replace(/, (%|ms)$/, '')
        .toLowerCase(),
    )

const nameOf = (name: string): string =>
  Object.entries(NAMES).find(([each]) => each === name)?.[1] ?? name

function control(name: string, value: number | boolean): Markup {
  const isOn = !NO_FAULT_ALONE.includes(name) && Boolean(value)
  const label = html`<span class="${isOn ? 'on' : ''}">${nameOf(name)}</span>`
  if (typeof value === 'boolean') {
    const box = value
      ? html`<input type="checkbox" name="${name}" value="on" checked>`
      : html`<input type="checkbox" name="${name}" value="on">`
    return html`<label>${label}${box}</label>`
  }
  const max = name.endsWith('Percent') ? html` max="100"` : null
  return html`<label>${label}<input type="number" name="${name}" value="${value}" min="0"${max} step="any"></label>`
}
