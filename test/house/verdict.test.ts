import { expect, test } from 'vitest'
import { type Failure, filesToRepeat, verdictOn } from '../../tools/ci/verdict.ts'
import { BrokenGuarantee, guarantee } from '../support/guarantee.ts'

const failed = (file: string, name: string, isBrokenGuarantee = false): Failure => ({
  file,
  test: name,
  reason: 'because',
  isBrokenGuarantee,
})

const late = failed('a.test.ts', 'is in time')
const wrong = failed('b.test.ts', 'adds up')
const twice = failed('c.test.ts', 'mails nobody twice', true)
const outside = failed('', '')

test('a file that failed is run once more, unless a guarantee is broken in it', () => {
  const beside = failed('c.test.ts', 'is in time')
  expect(filesToRepeat([late, wrong, late, twice, beside, outside])).toEqual([
    'a.test.ts',
    'b.test.ts',
  ])
})

test('a run in which much fails is not repeated', () => {
  const many = Array.from({ length: 21 }, (_, n) => failed(`${n}.test.ts`, 'works'))
  expect(filesToRepeat(many)).toEqual([])
  expect(verdictOn({ passed: 5, failures: many }, new Map())).toMatchObject({ failed: 21 })
})

test('a test that passes the second time is flaky, one that fails twice is red', () => {
  const repeated = new Map([
    ['a.test.ts', []],
    ['b.test.ts', [wrong]],
  ])
  expect(verdictOn({ passed: 7, failures: [late, wrong] }, repeated)).toEqual({
    passed: 8,
    failed: 1,
    red: [wrong],
    flaky: [late],
  })
})

test('a test of a repeated file that fails only then is flaky, or red if a guarantee is broken', () => {
  const other = failed('a.test.ts', 'is another')
  const broken = failed('a.test.ts', 'lets nobody in', true)
  const repeated = new Map([['a.test.ts', [other, broken]]])
  expect(verdictOn({ passed: 1, failures: [late] }, repeated)).toMatchObject({
    failed: 1,
    red: [broken],
    flaky: [late, other],
  })
})

test('what cannot be repeated is red', () => {
  expect(verdictOn({ passed: 1, failures: [twice, outside] }, new Map())).toMatchObject({
    failed: 2,
    red: [twice, outside],
    flaky: [],
  })
})

test('more than three flaky tests count as failed', () => {
  const flaky = ['a', 'b', 'c', 'd'].map((name) => failed(`${name}.test.ts`, 'is in time'))
  const repeated = new Map(flaky.map(({ file }) => [file, []]))
  const three = verdictOn({ passed: 1, failures: flaky.slice(1) }, repeated)
  expect(three).toMatchObject({ passed: 4, failed: 0 })
  expect(verdictOn({ passed: 1, failures: flaky }, repeated)).toMatchObject({
    passed: 1,
    failed: 4,
  })
})

test('a failed assertion about what must hold for users is a broken guarantee', () => {
  const check = (): void => guarantee(() => expect(['a', 'a']).toEqual(['a']))
  expect(check).toThrow(BrokenGuarantee)
  expect(check).toThrow('to deeply equal')
  guarantee(() => expect(1).toBe(1))
})
