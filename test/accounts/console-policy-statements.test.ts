import { expect, test } from 'vitest'
import { POLICY_VERSION, versionSid } from '../../src/domain/accounts/aws-actions.ts'
import { isUpToDate, versionOf } from '../../src/domain/accounts/console-policy.ts'

const policy = (...sids: unknown[]) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: sids.map((Sid) => ({ Sid, Effect: 'Allow' })),
  })

test.each([
  [policy(versionSid(1)), 1],
  [policy('Other', versionSid(12), versionSid(3)), 12],
  [JSON.stringify({ Statement: { Sid: versionSid(7) } }), 7],
  [policy('LetterloomV0'), null],
  [policy('LetterloomV01'), null],
  [policy('LetterloomV1x', 'xLetterloomV1', 'letterloomv1'), null],
  [policy(`LetterloomV${'9'.repeat(30)}`), null],
  [policy(undefined, null, 1, {}), null],
  [JSON.stringify({ Statement: [null, 'x', []] }), null],
  ['{"Statement":', null],
  ['null', null],
  ['', null],
])('%s says version %s', (document, version) => {
  expect(versionOf(document)).toBe(version)
})

test('up to date is the current version or a newer one', () => {
  expect([null, POLICY_VERSION - 1, POLICY_VERSION, POLICY_VERSION + 1].map(isUpToDate)).toEqual([
    false,
    false,
    true,
    true,
  ])
})
