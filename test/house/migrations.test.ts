import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { indexOf } from '../../src/store/db/build-index.ts'
import { root } from './files.ts'

/** The first release has all numbers up to this one. No program of an earlier one is at work. */
const FIRST_RELEASE = 199

const folder = join(root, 'migrations')
const migrations = readdirSync(folder)
  .filter((name) => /^\d{4}_.+\.sql$/.test(name) && Number(name.slice(0, 4)) > FIRST_RELEASE)
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

/** What a program of the release before may miss. */
const CONTRACTS =
  /\b(?:drop (?:table|column|function|view|type)|rename (?:to|column)|alter column \w+ (?:type|set not null|drop default)|truncate)\b/i

/** Sentences about a migration that programs of the release before would notice. */
function faultsOf(text: string): string[] {
  const code = text.replaceAll(/--.*$/gm, '')
  const made = [...code.matchAll(/\bcreate table (\w+)/gi)].map(([, table]) => table)
  const onOthers = [...code.matchAll(/\bcreate (?:unique )?index (?!concurrently)\w+ on (\w+)/gi)]
    .map(([, table]) => table)
    .filter((table) => !made.includes(table))
  const isIndex = indexOf(text) !== undefined
  return [
    ...(CONTRACTS.test(code) && !/^-- contracts \d{4}$/m.test(text) ? ['it contracts'] : []),
    ...onOthers.map((table) => `it keeps writers out of ${table}`),
    ...(/\bconcurrently\b/i.test(code) && !isIndex ? ['it is no single index'] : []),
    ...(/\badd column \w+ [^,;]*not null(?![^,;]*default)/i.test(code)
      ? ['a column is missed']
      : []),
    ...(isIndex &&
    code
      .trim()
      .split(';')
      .filter((part) => part.trim() !== '').length > 1
      ? ['it is more than its index']
      : []),
  ]
}

test('migrations can run while programs of the release before work', () => {
  const faults = migrations.flatMap(({ name, text }) =>
    faultsOf(text).map((fault) => `${name}: ${fault}`),
  )
  expect(faults).toEqual([])
})

describe('and what they would notice is found', () => {
  test.each([
    ['alter table contacts drop column phone;', 'it contracts'],
    ['alter table contacts rename column phone to number;', 'it contracts'],
    ['alter table contacts alter column phone set not null;', 'it contracts'],
    ['create index contacts_phone on contacts (phone);', 'it keeps writers out of contacts'],
    ['alter table contacts add column age integer not null;', 'a column is missed'],
    ['create index concurrently a on contacts (phone);\nselect 1;', 'it is more than its index'],
  ])('%s', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault])
  })

  test.each([
    'alter table contacts add column age integer;',
    'alter table contacts add column age integer not null default 0;',
    'create table trials (id integer);\ncreate index trials_id on trials (id);',
    '-- contracts 0140\nalter table contacts drop column phone;',
    'create index concurrently a on contacts (phone);',
  ])('but not %s', (text) => {
    expect(faultsOf(text)).toEqual([])
  })
})
