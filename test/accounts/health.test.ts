import { describe, expect, it } from 'vitest'
import {
  type HealthStatus,
  isNews,
  verdictOf,
  type Signals,
  usedRatio,
  worst,
} from '../../src/domain/accounts/health.ts'

/**
 * The contract's sentence as data, written without a look at the code: which value of which signal
 * gives which reason, and which reason is how bad. `-` gives none, `?` is not known.
 */
const TABLE = `
  sending      yes             -
  sending      no              sending_disabled
  sending      ?               -
  enforcement  HEALTHY         -
  enforcement  PROBATION       enforcement_probation
  enforcement  SHUTDOWN        enforcement_shutdown
  enforcement  SOMETHING_NEW   enforcement_something_new
  enforcement  ?               -
  bounce       0               -
  bounce       0.0499999       -
  bounce       0.05            bounce_review
  bounce       0.0999999       bounce_review
  bounce       0.1             bounce_pause
  bounce       1               bounce_pause
  bounce       ?               -
  complaint    0               -
  complaint    0.0009999       -
  complaint    0.001           complaint_review
  complaint    0.0049999       complaint_review
  complaint    0.005           complaint_pause
  complaint    1               complaint_pause
  complaint    ?               -
  quota        0               -
  quota        0.7999999       -
  quota        0.8             quota_high
  quota        1               quota_high
  quota        1.3             quota_high
  quota        ?               -
`
const IN_DANGER = ['sending_disabled', 'enforcement_*', 'bounce_pause', 'complaint_pause']
const AT_RISK = ['enforcement_probation', 'bounce_review', 'complaint_review', 'quota_high']

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/) as [string, string, string])
const of = (signal: string) => rows.filter(([name]) => name === signal)

/** Every combination of one row for each signal. */
function* combinations(): Generator<[string, string, string][]> {
  for (const a of of('sending'))
    for (const b of of('enforcement'))
      for (const c of of('bounce'))
        for (const d of of('complaint')) for (const e of of('quota')) yield [a, b, c, d, e]
}

const level = (reason: string): number => {
  if (AT_RISK.includes(reason)) return 1
  return IN_DANGER.includes(reason.replace(/^enforcement_.*/, 'enforcement_*')) ? 2 : Number.NaN
}

function expected(combination: [string, string, string][]) {
  if (combination.every(([, value]) => value === '?')) return { status: 'unknown', reasons: [] }
  const reasons = combination.map(([, , reason]) => reason).filter((reason) => reason !== '-')
  const most = Math.max(0, ...reasons.map(level))
  return { status: ['healthy', 'at_risk', 'in_danger'][most], reasons: reasons.sort() }
}

const number = (value: string | undefined): number | null => (value === '?' ? null : Number(value))

function signalsOf([sending, enforcement, bounce, complaint, quota]: string[]): Signals {
  return {
    sendingEnabled: sending === '?' ? null : sending === 'yes',
    enforcementStatus: enforcement === '?' ? null : (enforcement ?? null),
    bounceRate: number(bounce),
    complaintRate: number(complaint),
    usedRatio: number(quota),
  }
}

describe('the verdict', () => {
  it('is the contract’s for every combination of signals', () => {
    let count = 0
    const wrong: unknown[] = []
    for (const combination of combinations()) {
      const values = combination.map(([, value]) => value)
      const verdict = verdictOf(signalsOf(values))
      const found = { ...verdict, reasons: verdict.reasons.toSorted() }
      const wanted = expected(combination)
      if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push({ values, found, wanted })
      count++
    }
    expect(count).toBe(3 * 5 * 7 * 7 * 6)
    expect(wrong.slice(0, 5)).toEqual([])
  })

  it('names the reasons in one order, the dangerous ones first', () => {
    const all = verdictOf({
      sendingEnabled: false,
      enforcementStatus: 'PROBATION',
      bounceRate: 0.06,
      complaintRate: 0.01,
      usedRatio: 0.9,
    })
    expect(all).toEqual({
      status: 'in_danger',
      reasons: [
        'sending_disabled',
        'complaint_pause',
        'enforcement_probation',
        'bounce_review',
        'quota_high',
      ],
    })
  })
})

it('the quota in use is unknown without figures and of a quota without end', () => {
  expect(usedRatio({ max24Hour: 200, sentLast24Hours: 50 })).toBe(0.25)
  expect(usedRatio({ max24Hour: 200, sentLast24Hours: 0 })).toBe(0)
  expect(usedRatio({ max24Hour: -1, sentLast24Hours: 50 })).toBeNull()
  expect(usedRatio({ max24Hour: 0, sentLast24Hours: 0 })).toBeNull()
  expect(usedRatio({ max24Hour: null, sentLast24Hours: 50 })).toBeNull()
  expect(usedRatio({ max24Hour: 200, sentLast24Hours: null })).toBeNull()
})

const WORST_FIRST = ['in_danger', 'at_risk', 'unknown', 'healthy'] as const

it('the worst of all accounts is the organization’s, whatever their order', () => {
  for (const one of WORST_FIRST) {
    for (const other of WORST_FIRST) {
      const wanted = WORST_FIRST.find((each) => each === one || each === other)
      expect(worst([one, other])).toBe(wanted)
      expect(worst([other, one, other])).toBe(wanted)
    }
    expect(worst([one])).toBe(one)
  }
  expect(worst([])).toBe('unknown')
})

it.each<[HealthStatus, HealthStatus, HealthStatus[], boolean]>([
  ['at_risk', 'healthy', [], true],
  ['in_danger', 'at_risk', [], true],
  ['in_danger', 'at_risk', ['at_risk'], true],
  ['unknown', 'healthy', [], true],
  // The first verdict of an account that nobody could judge before.
  ['at_risk', 'unknown', [], true],
  ['unknown', 'unknown', [], false],
  ['healthy', 'unknown', [], false],
  // No worse than before, or told already.
  ['at_risk', 'at_risk', [], false],
  ['at_risk', 'in_danger', [], false],
  ['unknown', 'in_danger', [], false],
  ['at_risk', 'healthy', ['at_risk'], false],
  ['at_risk', 'healthy', ['in_danger'], false],
  ['in_danger', 'healthy', ['at_risk', 'unknown'], true],
  ['unknown', 'healthy', ['at_risk'], false],
])('%s after %s, having told %j lately: news is %s', (after, before, told, news) => {
  expect(isNews(after, before, told)).toBe(news)
})
