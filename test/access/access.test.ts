import { describe, expect, test } from 'vitest'
import {
  allows,
  KEY_SCOPES,
  mayManage,
  ROLES,
  type Scope,
  SCOPES_OF_ROLE,
} from '../../src/domain/access/access.ts'

const ALL: readonly Scope[] = [
  'read',
  'contacts',
  'events',
  'send',
  'templates',
  'segments',
  'workflows',
  'full',
  'session',
  'keys',
  'members',
]
const PERSONAL = ['session', 'keys', 'members']
const allowed = (held: readonly string[]) => ALL.filter((scope) => allows(held, scope))

describe('a key', () => {
  test.each(['read', 'contacts', 'events', 'send'])(
    'with %s may that and nothing else',
    (scope) => {
      expect(allowed([scope])).toEqual([scope])
    },
  )

  test('with full may all that is not personal', () => {
    expect(allowed(['full'])).toEqual(ALL.filter((scope) => !PERSONAL.includes(scope)))
  })

  test('may nothing personal, whatever it holds, and nothing with nothing', () => {
    expect(allowed(KEY_SCOPES).filter((scope) => PERSONAL.includes(scope))).toEqual([])
    expect(allowed([])).toEqual([])
  })
})

test.each([
  ['viewer', ['read', 'session']],
  ['member', ALL.filter((scope) => !['full', 'keys', 'members'].includes(scope))],
  ['admin', ALL],
  ['owner', ALL],
] as const)('a %s may %j', (role, wanted) => {
  expect(allowed(SCOPES_OF_ROLE[role])).toEqual(wanted)
})

test.each([
  ['viewer', []],
  ['member', []],
  ['admin', ['viewer', 'member']],
  ['owner', ['viewer', 'member', 'admin', 'owner']],
] as const)('a %s manages %j', (role, wanted) => {
  expect(ROLES.filter((other) => mayManage(role, other))).toEqual(wanted)
})
