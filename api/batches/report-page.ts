import type { FastifyReply } from 'fastify'
import { barChart } from '../../src/domain/charts/bar-chart.ts'
import { CHART_STYLE, percentage, readable } from '../../src/domain/charts/chart.ts'
import { lineChart } from '../../src/domain/charts/line-chart.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'
import type { BatchReport } from '../../src/schemas/batches/batch-report.ts'
import { sendPage } from '../http/html-pages.ts'
import { type Column, table } from './report-tables.ts'

const STYLE = `
main { max-width: 60rem; margin: 2rem auto; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 2rem }
h1 { font-size: 1.75rem; margin: 0 0 .75rem }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 1rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 }
dt { color: #51565e } dd { margin: 0 }
.scroll { overflow-x: auto; margin: 0 0 1rem }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; overflow-wrap: normal; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: 0 0 .5rem }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid #c8ccd2; text-align: left; vertical-align: top }
th { font-weight: 600 } tbody th { font-weight: 400; min-width: 8rem; overflow-wrap: anywhere }
.number { text-align: right; padding-right: 0; padding-left: .75rem }
td.number { white-space: nowrap }
summary { cursor: pointer; padding: .5rem 0 }
.chart { margin: 0 0 1rem }
@media (prefers-color-scheme: dark) {
  dt { color: #b9bfc8 }
  th, td { border-color: #3d434b }
}
@page { margin: 1.5cm }
@media print {
  :root { color-scheme: light }
  body { font-size: 11pt; color: #000000; background: #ffffff; padding: 0 }
  main { max-width: none; margin: 0; padding: 0; border: 0; background: #ffffff }
  h2, caption { break-after: avoid }
  tr { break-inside: avoid }
  .scroll { overflow: visible }
  summary { display: none }
  details::details-content { display: block; content-visibility: visible; height: auto }
}
${CHART_STYLE}`

/** Sends a report as a page: charts with their tables, without script, ready to be printed. */
export const sendReportPage = (reply: FastifyReply, report: BatchReport): FastifyReply =>
  sendPage(reply, {
    title: `Report: ${report.name ?? report.subject}`,
    body: reportHtml(report),
    style: STYLE,
  })

const reportHtml = (report: BatchReport): string =>
  [
    factsHtml(report),
    funnelHtml(report),
    timeHtml(report),
    linksHtml(report),
    domainsHtml(report),
    bouncesHtml(report),
    variantsHtml(report),
  ].join('\n')

/** `2026-11-25 10:00 UTC`. */
const moment = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`

function factsHtml(report: BatchReport): string {
  const { subject, from, fromName, status, startedAt, completedAt, generatedAt } = report
  const facts: [string, string | null][] = [
    ['Subject', subject],
    ['From', fromName === null ? from : `${fromName} <${from}>`],
    ['Status', status],
    ['Started', startedAt && moment(startedAt)],
    ['Completed', completedAt && moment(completedAt)],
    ['As of', moment(generatedAt)],
  ]
  const rows = facts.flatMap(([term, said]) =>
    said === null ? [] : [`<dt>${term}</dt><dd>${escapeHtml(said)}</dd>`],
  )
  return `<dl>${rows.join('\n')}</dl>`
}

function funnelHtml({ funnel, audienceFrozenAt }: BatchReport): string {
  const { recipients, sent, openedByPeople, opened, skipped, failed, unknown } = funnel
  const bars = [
    { label: 'Sent', value: sent },
    { label: 'Delivered', value: funnel.delivered },
    { label: 'Opened', value: opened },
    { label: 'Clicked', value: funnel.clicked },
    { label: 'Unsubscribed', value: funnel.unsubscribed },
  ]
  const barTexts = bars.map(({ label, value }) => `${label} ${readable(value)}`).join(', ')
  const text = { id: 'funnel', title: 'What became of the mails', description: `${barTexts}.` }
  const furtherFigures: [string, number][] = [
    ['Opened by people, without known bots', openedByPeople],
    ['Bounced', funnel.bounced],
    ['Suppressed by the provider', funnel.suppressed],
    ['Complained', funnel.complained],
  ]
  const unsent: [string, number][] = [
    ['Failed', failed],
    ['Skipped: unsubscribed, or may not be mailed', skipped],
    ['In doubt', unknown],
  ]
  const rows = [
    ...[...bars.map(({ label, value }): [string, number] => [label, value]), ...furtherFigures].map(
      ([label, value]) => [label, readable(value), percentage(value, sent)],
    ),
    ...unsent.map(([label, value]) => [label, readable(value), '']),
  ]
  const columns: Column[] = [
    { head: 'Mails' },
    { head: 'Number', isNumber: true },
    { head: 'Share', isNumber: true },
  ]
  const of = audienceFrozenAt === null ? 'About ' : ''
  return `<h2>Figures</h2>
<p>${of}${readable(recipients)} recipients. Shares are of the mails that were sent.</p>
${barChart(text, bars, sent)}
${table('All figures', columns, rows)}`
}

const TIME_COLUMNS: Column[] = [
  { head: 'From (UTC)' },
  { head: 'Opened', isNumber: true },
  { head: 'By people', isNumber: true },
  { head: 'Clicked', isNumber: true },
  { head: 'Unsubscribed', isNumber: true },
]

function timeHtml({ overTime: { hoursEach, data } }: BatchReport): string {
  const head = '<h2>Over time</h2>'
  if (data.length === 0) return `${head}<p>Nothing was opened or clicked yet.</p>`
  const each = hoursEach === 1 ? 'hour' : `${hoursEach} hours`
  const peak = data.reduce((best, point) => (point.opened > best.opened ? point : best))
  const text = {
    id: 'time',
    title: `Mails opened and clicked for the first time, by ${each}`,
    description: `Most were opened in the ${each} from ${moment(peak.from)}: ${readable(peak.opened)}. The table has all numbers.`,
  }
  const picture = lineChart(
    text,
    data.map(({ from }) => moment(from).slice(0, -4)),
    [
      { name: 'Opened', values: data.map(({ opened }) => opened) },
      { name: 'Clicked', values: data.map(({ clicked }) => clicked) },
    ],
  )
  const rows = data.map(({ from, opened, openedByPeople, clicked, unsubscribed }) => [
    moment(from),
    ...[opened, openedByPeople, clicked, unsubscribed].map(readable),
  ])
  return `${head}<p>Each mail counts once, when it was first opened or clicked, by ${each} (UTC).</p>
${picture}
<details><summary>These numbers as a table</summary>${table(`By ${each}`, TIME_COLUMNS, rows)}</details>`
}

function linksHtml({ links, otherLinks }: BatchReport): string {
  if (links.length === 0) return '<h2>Links</h2><p>No link was clicked.</p>'
  const rows = [
    ...links.map(({ url, clicks, recipients }) => [url, readable(clicks), readable(recipients)]),
    ...(otherLinks.links === 0
      ? []
      : [[`${readable(otherLinks.links)} other links`, readable(otherLinks.clicks), '']]),
  ]
  const columns: Column[] = [
    { head: 'Link' },
    { head: 'Clicks', isNumber: true },
    { head: 'Mails', isNumber: true },
  ]
  return `<h2>Links</h2>${table('Links that were clicked', columns, rows)}`
}

function domainsHtml({ domains, otherDomains }: BatchReport): string {
  if (domains.length === 0) return ''
  const columns = [
    { head: 'Domain' },
    ...['Sent', 'Delivered', 'Opened', 'Clicked', 'Bounced', 'Complained', 'Unsubscribed'].map(
      (name) => ({ head: name, isNumber: true }),
    ),
  ]
  const row = (name: string, figures: Omit<BatchReport['otherDomains'], 'domains'>) => {
    const { sent, delivered, opened, clicked, bounced, complained, unsubscribed } = figures
    const cells = [sent, delivered, opened, clicked, bounced, complained, unsubscribed]
    return [name, ...cells.map(readable)]
  }
  const rows = [
    ...domains.map((each) => row(each.domain ?? '(erased)', each)),
    ...(otherDomains.domains === 0
      ? []
      : [row(`${readable(otherDomains.domains)} other domains`, otherDomains)]),
  ]
  return `<h2>Domains</h2>${table('Domains of recipients', columns, rows)}`
}

function bouncesHtml({ bounces }: BatchReport): string {
  if (bounces.length === 0) return ''
  const columns: Column[] = [
    { head: 'Reason' },
    { head: 'Counts as' },
    { head: 'Mails', isNumber: true },
  ]
  const rows = bounces.map(({ type, subType, count, isSuppressed }) => [
    subType === null ? type : `${type}, ${subType}`,
    isSuppressed ? 'suppressed' : 'bounced',
    readable(count),
  ])
  return `<h2>Bounces</h2>${table('Bounces by reason', columns, rows)}`
}

function variantsHtml({ abTest }: BatchReport): string {
  if (abTest === null) return ''
  const { variants, rest, winner } = abTest
  const columns: Column[] = [
    { head: 'Variant' },
    ...['Sent', 'Delivered', 'Opened', 'Clicked', 'Bounced', 'Complained'].map((name) => ({
      head: name,
      isNumber: true,
    })),
  ]
  const rowOf = (title: string, figures: NonNullable<typeof rest>) => {
    const { sent, delivered, opened, clicked, bounced, complained } = figures
    return [
      title,
      readable(sent),
      readable(delivered),
      `${readable(opened)} (${percentage(opened, sent)})`,
      `${readable(clicked)} (${percentage(clicked, sent)})`,
      readable(bounced),
      readable(complained),
    ]
  }
  const rows = variants.map(({ name, subject, ...figures }) => {
    const title = subject === null ? name : `${name}: ${subject}`
    return rowOf(name === winner ? `${title} (winner)` : title, figures)
  })
  const restRows = rest === null ? [] : [rowOf(`The rest of the audience: ${winner}`, rest)]
  return `<h2>A/B test</h2>${table('Variants, compared by their share of the audience', columns, [...rows, ...restRows])}`
}
