import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../api/http/metrics.ts'
import { countDuplicates, countNotApplied } from '../../src/main/programs/event-metrics.ts'
import { measureLags } from '../../src/main/programs/lag-metrics.ts'
import { measureRenderer } from '../../src/main/programs/renderer-metrics.ts'
import { ownMetrics } from '../../src/runtime/metrics.ts'
import { connect } from '../../src/store/db/sql.ts'
import { findWrongAlarms, hasPromtool, RULES } from '../support/alarms.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(
  readFileSync(new URL('../grafana/letterloom.json', RULES), 'utf8'),
) as { panels: { title: string; targets?: { expr: string }[] }[] }
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

type Figures = Record<string, number>

/** Of a healthy system, as far as rules need something to be there. */
const HEALTHY = { 'up{job="letterloom"}': 1, letterloom_outbox_lag_seconds: 0 }
const { letterloom_outbox_lag_seconds: _, ...WITHOUT_WORKER } = HEALTHY

/** Figures with which an alarm is on, after those with which none is. */
const CASES: [alarm: string, quiet: Figures, loud: Figures][] = [
  ['ProgramDown', {}, { 'up{job="letterloom"}': 0 }],
  [
    'RequestsFail',
    { 'letterloom_http_answers_total{status="200"}': 0 },
    {
      'letterloom_http_answers_total{status="200"}': 960_000,
      'letterloom_http_answers_total{status="500"}': 40_000,
    },
  ],
  [
    'RequestsUnlimited',
    { letterloom_rate_limiter_fail_open_total: 5 },
    { letterloom_rate_limiter_fail_open_total: 500 },
  ],
  [
    'RoundsFail',
    { 'letterloom_failed_rounds_total{loop="janitor"}': 10 },
    { 'letterloom_failed_rounds_total{loop="janitor"}': 500 },
  ],
  [
    'SesUnreachable',
    { 'letterloom_ses_calls_total{answer="sent"}': 0 },
    {
      'letterloom_ses_calls_total{answer="sent"}': 7_000,
      'letterloom_ses_calls_total{answer="unreachable"}': 3_000,
    },
  ],
  [
    'TemporalUnreachable',
    { 'letterloom_outbox_messages_total{kind="start_batch",outcome="failed"}': 3 },
    { 'letterloom_outbox_messages_total{kind="start_batch",outcome="failed"}': 300 },
  ],
  [
    'QuotaUsedUp',
    { 'letterloom_accounts_paused{reason="daily_quota"}': 0 },
    { 'letterloom_accounts_paused{reason="daily_quota"}': 1 },
  ],
  [
    'BatchStalled',
    { letterloom_batches_stalled_seconds: 20 },
    { letterloom_batches_stalled_seconds: 400 },
  ],
  [
    'MailsFail',
    { 'letterloom_mails_total{lane="batch",outcome="sent"}': 0 },
    {
      'letterloom_mails_total{lane="batch",outcome="sent"}': 80_000,
      'letterloom_mails_total{lane="batch",outcome="failed"}': 20_000,
    },
  ],
  ['MailsInDoubt', { letterloom_expired_leases_total: 4 }, { letterloom_expired_leases_total: 40 }],
  ['SendingHeld', { letterloom_sending_held: 0 }, { letterloom_sending_held: 1 }],
  [
    'SentTwice',
    { letterloom_duplicate_acceptances_total: 1 },
    { letterloom_duplicate_acceptances_total: 100 },
  ],
  [
    'EventsMissing',
    { letterloom_connections_without_events: 0 },
    { letterloom_connections_without_events: 2 },
  ],
  [
    'EventsLate',
    { letterloom_delivery_events_lag_seconds: 5 },
    { letterloom_delivery_events_lag_seconds: 90 },
  ],
  [
    'EventsRefused',
    { 'letterloom_delivery_events_not_applied_total{reason="unknown_mail"}': 2 },
    { 'letterloom_delivery_events_not_applied_total{reason="unknown_mail"}': 200 },
  ],
  ['OutboxFull', { letterloom_outbox_waiting: 50_000 }, { letterloom_outbox_waiting: 50_001 }],
  ['OutboxLate', { letterloom_outbox_lag_seconds: 60 }, { letterloom_outbox_lag_seconds: 61 }],
  [
    'ExecutionsOverdue',
    { letterloom_executions_overdue_seconds: 10 },
    { letterloom_executions_overdue_seconds: 100 },
  ],
  [
    'WebhooksLate',
    { letterloom_hook_oldest_due_seconds: 60 },
    { letterloom_hook_oldest_due_seconds: 200 },
  ],
  ['SegmentsLate', { letterloom_segments_set_aside: 0 }, { letterloom_segments_set_aside: 1 }],
  [
    'OldTransaction',
    { letterloom_oldest_transaction_seconds: 30 },
    { letterloom_oldest_transaction_seconds: 400 },
  ],
  [
    'QueuesNotCleaned',
    { 'letterloom_queue_dead_rows{queue="outbox"}': 100_000 },
    { 'letterloom_queue_dead_rows{queue="outbox"}': 300_000 },
  ],
  [
    'PartitionsMissing',
    { letterloom_partition_days_ahead: 7 },
    { letterloom_partition_days_ahead: 2 },
  ],
  [
    'ConnectionsUsedUp',
    { letterloom_postgres_connections: 200, letterloom_postgres_connections_most: 300 },
    { letterloom_postgres_connections: 290, letterloom_postgres_connections_most: 300 },
  ],
  [
    'ConnectionsAwaited',
    { 'letterloom_postgres_waiting{pool="letterloom-api"}': 0 },
    { 'letterloom_postgres_waiting{pool="letterloom-api"}': 9 },
  ],
]

describe.skipIf(!hasPromtool)('an alarm comes and goes with its figures', () => {
  test.each(CASES)('Letterloom%s', async (alarm, quiet, loud) => {
    const periods = [
      { page: { ...HEALTHY, ...quiet }, firing: [] },
      { page: { ...HEALTHY, ...quiet, ...loud }, firing: [`Letterloom${alarm}`] },
    ]
    // What counters have counted stays, and counts no further.
    const isCounter = (name: string) => /_total(?:\{|$)/.test(name)
    const still = Object.fromEntries(Object.entries(loud).filter(([name]) => isCounter(name)))
    const after = { page: { ...HEALTHY, ...quiet, ...still }, firing: [] }
    expect(await findWrongAlarms([...periods, after])).toBe('')
  })

  test('LetterloomNoWorker', async () => {
    const after = { page: HEALTHY, firing: [] }
    const without = { page: WITHOUT_WORKER, firing: ['LetterloomNoWorker'] }
    expect(await findWrongAlarms([after, without, after])).toBe('')
  })

  test('and every alarm has figures here', () => {
    const names = [...CASES.map(([alarm]) => `Letterloom${alarm}`), 'LetterloomNoWorker']
    expect(names.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  })
})

test('every alarm has a page of the runbook that says what it means and what to do', () => {
  const runbook = readFileSync(new URL('../../../docs/runbook.md', RULES), 'utf8')
  const sections = new Map(
    runbook
      .split('\n### ')
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  )
  expect([...sections.keys()].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  for (const { alert, labels, annotations } of rules) {
    const section = sections.get(alert) ?? ''
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    expect(section).toContain(`\`${labels.severity}\`. **Customers**`)
    for (const part of ['**Look at** 1. ', ' 2. ', ' 3. ', '**Do**: ']) {
      expect(section.replaceAll('\n', ' '), alert).toContain(part)
    }
  }
})

test('rules and dashboard ask only for metrics that programs tell', async () => {
  const sql = connect('postgres://nobody:x@127.0.0.1:1/nothing', { name: 'unused', max: 1 })
  const worker = new Registry()
  const quiet = () => {}
  measureLags(worker, { sql, log: { info: quiet, warn: quiet, error: quiet } })
  measureRenderer(worker, { load: () => ({ shared: 0, alone: 0 }) })
  countDuplicates(worker)
  countNotApplied(worker)
  const metrics = [createMetrics().registry, worker, ownMetrics].flatMap((registry) =>
    registry.getMetricsAsArray().map(({ name }) => name),
  )
  const known = new Set(metrics.flatMap((name) => [name, `${name}_bucket`, `${name}_count`]))
  const asked = [...rules.map(({ expr }) => expr), ...queries].flatMap((expr) =>
    [...expr.matchAll(/\b(?:letterloom|nodejs|process)_\w+/g)].map(([name]) => name),
  )
  expect([...new Set(asked)].filter((name) => !known.has(name))).toEqual([])
  expect(asked.length).toBeGreaterThan(60)
  await sql.end()
})
