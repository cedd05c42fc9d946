import type { FastifyReply } from 'fastify'
import type { Report } from '../../src/core/deliverability/toolbox.ts'
import type { EmailDetails } from '../../src/core/deliverability/email.ts'
import type { Finding, RawRecord, Severity } from '../../src/domain/deliverability/report.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'
import { sendPage } from '../http/html-pages.ts'
import { FORMS, formHtml, type ToolForm, type Values } from './page-forms.ts'
import { TOOLS_STYLE } from './page-style.ts'

interface ToolsPage {
  form: ToolForm
  values: Values
  report?: Report | undefined
  problem?: string | undefined
  status?: number
}

export function sendToolsPage(reply: FastifyReply, page: ToolsPage): FastifyReply {
  const { form, values, report, problem, status = 200 } = page
  const alert =
    problem === undefined
      ? ''
      : `<p class="problem" role="alert"><b>✕ ${escapeHtml(problem)}</b></p>`
  return sendPage(reply, {
    title: 'Deliverability tools',
    status,
    // Search engines may list the tools, but not reports.
    isIndexed: report === undefined && problem === undefined,
    style: TOOLS_STYLE,
    body: `<p class="lead">${escapeHtml(form.lead)}</p>
<nav aria-label="Tools"><ul>${FORMS.map((each) => linkHtml(each, form, values)).join('')}</ul></nav>
${alert}${formHtml(form, values)}
${report === undefined ? '' : reportHtml(report, form)}
<footer>Free, without an account. At most 10 checks a minute and 100 an hour; programs use the
<a href="/docs">API</a>.</footer>`,
  })
}

/** Carries the typed domain from tool to tool. Nothing is checked before the form is sent. */
function linkHtml({ tool, label }: ToolForm, current: ToolForm, { domain = '' }: Values): string {
  const query = new URLSearchParams({ tool, ...(domain === '' ? {} : { fill: domain }) })
  const mark = tool === current.tool ? ' aria-current="page"' : ''
  return `<li><a href="/tools?${escapeHtml(query.toString())}"${mark}>${escapeHtml(label)}</a></li>`
}

const WORDS: Record<Severity, string> = {
  pass: '✓ Pass',
  warning: '! Warning',
  fail: '✕ Fail',
  unknown: '? Unknown',
  info: 'i Info',
}

const badge = (severity: Severity): string =>
  `<span class="badge ${severity}">${WORDS[severity]}</span>`

function reportHtml(report: Report, { label }: ToolForm): string {
  const { tool, subject, verdict, summary, findings, records, lookups, checkedAt } = report
  const isEmail = tool === 'email-check'
  return `<section aria-labelledby="report"><h2 id="report">${escapeHtml(label)}: ${escapeHtml(subject)}</h2>
<div class="result ${verdict}">${isEmail ? gradeHtml(report.details as EmailDetails) : ''}<div>${badge(verdict)}<p>${escapeHtml(summary)}</p></div></div>
${isEmail ? checksHtml(report.details as EmailDetails) : ''}${tool === 'dmarc-generator' ? writtenHtml(report) : ''}
<h2>What was found</h2>
<ul class="findings">${findings.map((finding) => findingHtml(finding)).join('\n')}</ul>
<h2>Behind it</h2>
<details><summary>Raw records (${records.length})</summary>${recordsHtml(records)}</details>
<details><summary>All details, as the API answers them</summary><pre>${escapeHtml(JSON.stringify(report.details, null, 2))}</pre></details>
<p><small>${lookups} look-ups, <time datetime="${escapeHtml(checkedAt)}">${escapeHtml(checkedAt.slice(0, 19).replace('T', ' '))} UTC</time>.</small></p></section>`
}

const gradeHtml = ({ grade, score }: EmailDetails): string =>
  `<div class="grade"><b>${grade ?? '–'}</b><span>${score === null ? 'no grade' : `${score} of 100`}</span></div>`

const NAMES: Record<keyof EmailDetails['checks'], string> = {
  dmarc: 'DMARC',
  spf: 'SPF',
  dkim: 'DKIM',
  mx: 'MX',
  blocklists: 'Blocklists',
  reverseDns: 'Reverse DNS',
  mtaSts: 'MTA-STS',
  tlsRpt: 'TLS-RPT',
  bimi: 'BIMI',
}
const isName = (name: string): name is keyof typeof NAMES => name in NAMES

function checksHtml({ checks }: EmailDetails): string {
  const items = Object.entries(checks).map(
    ([name, { verdict, summary }]) =>
      `<li><div class="head"><h3>${isName(name) ? NAMES[name] : ''}</h3>${badge(verdict)}</div>${escapeHtml(summary)}</li>`,
  )
  return `<h2>At a glance</h2><ul class="checks">${items.join('\n')}</ul>`
}

function findingHtml(finding: Finding & { check?: string }): string {
  const { severity, message, fix, check } = finding
  const from =
    check !== undefined && isName(check) ? ` <span class="from">${NAMES[check]}</span>` : ''
  const next = fix === null ? '' : `<p class="next"><b>Next:</b> ${escapeHtml(fix)}</p>`
  return `<li><div>${badge(severity)}</div><div><p>${escapeHtml(message)}${from}</p>${next}</div></li>`
}

const STATES: Record<Exclude<RawRecord['status'], 'found'>, string> = {
  empty: 'no such record',
  no_name: 'no such name',
  failed: 'no answer',
}

function recordsHtml(records: readonly RawRecord[]): string {
  const items = records.map(({ name, type, status, values }) => {
    const recordText =
      status === 'found' ? values.join('\n') : [STATES[status], ...values].join('\n')
    return `<dt>${type} ${escapeHtml(name)}</dt><dd><pre>${escapeHtml(recordText)}</pre></dd>`
  })
  return items.length === 0 ? '<p>None were looked up.</p>' : `<dl>${items.join('')}</dl>`
}

function writtenHtml({ details }: Report): string {
  const { name, value } = details as { name: string; value: string }
  return `<h2>The record</h2><dl><dt>TXT ${escapeHtml(name)}</dt><dd><pre>${escapeHtml(value)}</pre></dd></dl>`
}
