import { describe, expect, test } from 'vitest'
import { pagesOf } from '../../api/contacts/import-rows.ts'
import { guardCell, readCell, unguardCell } from '../../src/domain/contacts/csv-cell.ts'

interface Row {
  values?: Record<string, unknown>
  message?: string
  withoutPhone?: { message: string; record: string }
}

/** Rows of a file that comes in pieces of so many bytes. */
async function rowsOf(text: string, { piece = 1_000, delimiter = ',' } = {}): Promise<Row[]> {
  const file = Buffer.from(text)
  const bytes = async function* () {
    for (let at = 0; at < file.length; at += piece) yield file.subarray(at, at + piece)
  }
  const options = { mapping: new Map(), delimiter, topicIds: [], resubscribe: false }
  const findTopic = async () => undefined
  const rows: Row[] = []
  for await (const page of pagesOf(bytes(), { ...options, format: 'csv', findTopic })) {
    rows.push(...(JSON.parse(page.text) as Row[]))
  }
  return rows
}
const valuesOf = async (...file: Parameters<typeof rowsOf>) =>
  (await rowsOf(...file)).map(({ values, message }) => values ?? message)

const ada = { email: 'a@x.example', firstName: 'Ada' }
const bob = { email: 'b@x.example', firstName: 'Bob' }
const cy = { email: 'c@x.example', firstName: 'Cy' }

describe('line ends that differ within one file', () => {
  test.each([
    ['a first line with LF before CRLF', '\n', '\r\n', '\r\n'],
    ['a first line with CRLF before LF', '\r\n', '\n', '\n'],
    ['CR, as old programs write it', '\r', '\r', '\r'],
    ['all of them', '\n', '\r', '\r\n'],
    ['empty lines between', '\r\n\r\n', '\n\n', '\r\r'],
  ])('%s', async (_, first, second, third) => {
    const text = `email,firstName${first}a@x.example,Ada${second}b@x.example,Bob${third}c@x.example,Cy`
    for (const piece of [1, 2, 3, 7, 1_000]) {
      expect(await valuesOf(text, { piece })).toEqual([ada, bob, cy])
    }
  })

  test('a line break in a quoted cell ends no row', async () => {
    const text = 'email,note\na@x.example,"one\r\ntwo\rthree"\r\n'
    expect(await valuesOf(text, { piece: 1 })).toEqual([
      { email: 'a@x.example', properties: { note: 'one\ntwo\nthree' } },
    ])
  })
})

describe('quotes that are irregular', () => {
  test.each([
    ['within a cell', '5" pipe', '5" pipe'],
    ['at the end of a cell', '27"', '27"'],
    ['after a blank', ' "Acme, Inc."', 'Acme, Inc.'],
    ['before a blank', '"Acme, Inc." ', 'Acme, Inc.'],
    ['doubled', '"the ""best"" one"', 'the "best" one'],
    ['around nothing', '""', undefined],
  ])('%s', async (_, cell, company) => {
    const rows = await valuesOf(`email,company,jobTitle\na@x.example,${cell},x\nb@x.example,B,y\n`)
    expect(rows).toEqual([
      { email: 'a@x.example', ...(company === undefined ? {} : { company }), jobTitle: 'x' },
      { email: 'b@x.example', company: 'B', jobTitle: 'y' },
    ])
  })

  test('one that is not closed fails its row and no row before it', async () => {
    const text = 'email,firstName\na@x.example,Ada\nb@x.example,"Bob\nc@x.example,Cy\n'
    expect(await valuesOf(text, { piece: 3 })).toEqual([
      ada,
      'A quote is not closed: nothing behind it, to line 4, was read',
    ])
  })
})

describe('blank cells', () => {
  test('say nothing, and blanks around a text are not stored', async () => {
    const text =
      'email , firstName,company,plan\n a@x.example ,Ada     ,  ,   \n"b@x.example","  Bob "," ",\t\n'
    expect(await valuesOf(text)).toEqual([ada, bob])
  })

  test('beyond the data change nothing, rows of separators are no rows', async () => {
    const text = 'email,firstName\na@x.example,Ada,,,\n,\n,,,,\n , \n"",""\nb@x.example,Bob,,x\n'
    expect(await valuesOf(text)).toEqual([ada, 'has more cells than the first line'])
  })

  test('of a file with tabs stay cells', async () => {
    const text = 'email\tcompany\tfirstName\na@x.example\t\tAda\n'
    expect(await valuesOf(text, { delimiter: '\t' })).toEqual([ada])
  })
})

test('control characters of a cell are not stored', async () => {
  const text = 'email,firstName,note\na@x.example,"A\u0007d\u0085a\r\nKing","a\u001bb\tc"\n'
  expect(await valuesOf(text)).toEqual([
    { email: 'a@x.example', firstName: 'Ada King', properties: { note: 'ab\tc' } },
  ])
})

test('texts are stored in NFC, so that one name is one text', async () => {
  const text = 'email,firstName,city\na@x.example,Jose\u0301,Ko\u0308ln\n'
  expect(await valuesOf(text)).toEqual([
    { email: 'a@x.example', firstName: 'José', properties: { city: 'Köln' } },
  ])
})

test('lengths are checked after that', async () => {
  const name = 'é'.repeat(100)
  const text = `email,firstName\na@x.example,   ${name.normalize('NFD')}   \nb@x.example,${name}x\n`
  expect(await valuesOf(text)).toEqual([
    { email: 'a@x.example', firstName: name },
    'firstName must not have more than 100 characters',
  ])
})

describe('the apostrophe before a formula', () => {
  test.each([
    "'t Hooft",
    "d'Arc",
    "'",
    '-5',
    '=1+1',
    "'=1+1",
    "''x",
    "'''",
    '+4915112345678',
    '@me',
  ])('%s is the same after an export and an import', (text) =>
    expect(unguardCell(guardCell(text))).toBe(text),
  )

  test('is taken off where a spreadsheet needs it, and belongs to a name elsewhere', () => {
    expect(["'=1", "'-5", "'@x", "''t", "'t Hooft", "'n Roll"].map(readCell)).toEqual([
      '=1',
      '-5',
      '@x',
      "'t",
      "'t Hooft",
      "'n Roll",
    ])
    expect([guardCell("'t Hooft"), guardCell('=1'), guardCell('+491')]).toEqual([
      "'t Hooft",
      "'=1",
      '+491',
    ])
  })
})

test.each([
  ['Email Address;First Name\na@x.example;Ada\n', 'Columns found: "Email Address;First Name"'],
  ['sep=;\nemail;name\na@x.example;Ada\n', 'Columns found: "sep=;"'],
  ['Address,First\na@x.example,Ada\n', 'Columns found: "Address", "First"'],
])('a first line without a known column is told with what to do: %s', async (text, found) => {
  const refusal = rowsOf(text)
  await expect(refusal).rejects.toThrow(found)
  await expect(refusal).rejects.toThrow('"mapping", such as {"E-Mail Address": "email"}')
  await expect(refusal).rejects.toThrow('"delimiter"')
})

test('00 before a country is its plus', async () => {
  const text = 'phone\n0049 151 12345678\n00491511234567 9\n00 49 151 12345670\n0151 12345678\n'
  expect(await valuesOf(text)).toEqual([
    { phone: '+4915112345678' },
    { phone: '+4915112345679' },
    { phone: '+4915112345670' },
    NO_PHONE,
  ])
})

const NO_PHONE = 'phone must be an international number such as +4915112345678'
const LEFT_OUT = expect.stringContaining('The contact was kept without its phone')

test.each([
  ['call me', 'letters'],
  ['0151 12345678', 'no country'],
  ['+49', 'too short'],
  ['4.91512E+12', 'made a number by a spreadsheet'],
  ['1'.repeat(51), 'too long'],
  ['+4915112345678 ext. 5', 'an extension'],
])('a phone that is %s (%s) costs the phone, not the contact', async (phone) => {
  const text = `email,phone,externalId,firstName\na@x.example,${phone},,Ada\n,${phone},42,Bob\n,${phone},,Cy\n`
  const [ada, bob, cy] = await rowsOf(text)
  expect(ada).toMatchObject({ values: { email: 'a@x.example', firstName: 'Ada' } })
  expect(bob).toMatchObject({ values: { externalId: '42', firstName: 'Bob' } })
  for (const row of [ada, bob]) {
    expect(row?.values).not.toHaveProperty('phone')
    expect(row?.withoutPhone).toMatchObject({ message: LEFT_OUT })
    expect(row?.withoutPhone?.record).toContain(phone)
  }
  // Nothing else says who it is.
  expect(cy?.values).toBeUndefined()
  expect(cy?.message).toMatch(/^phone must/)
})

test('any other problem fails the row, whatever its phone is', async () => {
  const text = 'email,phone,emailStatus\nno address,12,\na@x.example,12,happy\n'
  const messages = (await rowsOf(text)).map(({ message }) => message)
  expect(messages).toEqual([
    expect.stringContaining('email'),
    expect.stringContaining('emailStatus'),
  ])
})
