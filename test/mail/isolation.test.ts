import { beforeEach, expect, test } from 'vitest'
import { createIsolation } from '../../src/mail/isolation.ts'

let time = 0
let isolation: ReturnType<typeof createIsolation>
beforeEach(() => {
  time = 0
  isolation = createIsolation(() => time)
})

const slow = (content: string, organization = 'o') => isolation.noteSlow({ organization, content })
const isApart = (content: string, organization = 'o') =>
  isolation.isApart({ organization, content })

test('a content that was slow is apart for a minute, its organization and its namesake are not', () => {
  slow('a')
  expect([isApart('a'), isApart('b'), isApart('a', 'p')]).toEqual([true, false, false])
  time = 59_999
  expect(isApart('a')).toBe(true)
  time = 60_000
  expect(isApart('a')).toBe(false)
})

test('a single slow content does not isolate its organization, however often it is slow', () => {
  for (let n = 0; n < 10; n++) slow('a')
  expect(isolation.isOrganizationApart('o')).toBe(false)
})

test('three slow contents in a minute put all of their organization apart', () => {
  slow('a')
  time = 30_000
  slow('b')
  time = 59_000
  slow('c')
  expect([isApart('d'), isApart('d', 'p')]).toEqual([true, false])
  // The first of them is a minute ago.
  time = 60_000
  expect(isolation.isOrganizationApart('o')).toBe(false)
  slow('d')
  expect(isolation.isOrganizationApart('o')).toBe(true)
})

test('no more organizations and contents are remembered than there is room for', () => {
  for (let n = 0; n < 1_100; n++) slow('a', `organization ${n}`)
  expect([isApart('a', 'organization 0'), isApart('a', 'organization 1099')]).toEqual([false, true])
})
