import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHECK_ERRORS, type Check, verdictOf } from '../../src/domain/accounts/verification.ts'

const ESSENTIAL = ['role', 'external_id', 'ses:GetAccount', 'ses:SendEmail']
const OTHERS = ['ses:ListEmailIdentities', 'ses:GetEmailIdentity', 'cloudwatch:GetMetricData']
const checks = (wrong: Record<string, Check['error']> = {}): Check[] =>
  [...ESSENTIAL, ...OTHERS].map((name) => {
    const error = wrong[name]
    return error === undefined ? { name, ok: true } : { name, ok: false, error }
  })

test('verified needs the four that sending needs, and no more', () => {
  expect(verdictOf(checks())).toEqual({ kind: 'verified' })
  for (const name of OTHERS) expect(verdictOf(checks({ [name]: 'denied' })).kind).toBe('verified')
  for (const name of ESSENTIAL) {
    expect(verdictOf(checks().filter((check) => check.name !== name)).kind).toBe('undecided')
  }
  expect(verdictOf([])).toEqual({ kind: 'undecided', error: 'not_tried' })
})

test.each([
  [{ role: 'role_refused', 'ses:SendEmail': 'not_tried' }, 'refused', 'role_refused'],
  [{ external_id: 'external_id_not_required' }, 'refused', 'external_id_not_required'],
  [{ 'ses:SendEmail': 'denied' }, 'refused', 'ses_send_email_denied'],
  [{ 'ses:GetAccount': 'no_sending_rate' }, 'refused', 'no_sending_rate'],
  [{ external_id: 'no_answer' }, 'undecided', 'no_answer'],
  [{ 'ses:GetAccount': 'throttled' }, 'undecided', 'throttled'],
  [{ role: 'throttled', 'ses:SendEmail': 'not_tried' }, 'undecided', 'throttled'],
  // A clear no wins over a silence.
  [
    { role: 'no_answer', external_id: 'external_id_not_required' },
    'refused',
    'external_id_not_required',
  ],
  [
    { 'ses:GetAccount': 'throttled', 'ses:SendEmail': 'denied' },
    'refused',
    'ses_send_email_denied',
  ],
] as const)('%j is %s', (wrong, kind, error) => {
  expect(verdictOf(checks(wrong))).toEqual({ kind, error })
})

test('nothing is verified that lacks anything essential, whatever else is found', () => {
  const found = fc.uniqueArray(
    fc.record(
      {
        name: fc.constantFrom(...ESSENTIAL, ...OTHERS),
        ok: fc.boolean(),
        error: fc.constantFrom(...CHECK_ERRORS),
      },
      { requiredKeys: ['name', 'ok'] },
    ),
    { selector: ({ name }) => name },
  )
  fc.assert(
    fc.property(found, (given) => {
      const isRight = ESSENTIAL.every((name) =>
        given.some((check) => check.name === name && check.ok),
      )
      expect(verdictOf(given).kind === 'verified').toBe(isRight)
    }),
  )
})
