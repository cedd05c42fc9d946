import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import { guardCell } from '../../src/domain/contacts/csv-cell.ts'

export const TEXT: Record<string, unknown> = { type: 'string' }

export const csvFile = (description: string) => ({
  description,
  content: { 'text/csv': { schema: TEXT } },
})

/**
 * Writes lines of CSV (RFC 4180) that a spreadsheet can open without running any of them. All cells
 * with content are quoted: a reader may end an unquoted one at a semicolon or a line break, and the
 * rest would be a cell without our guard.
 */
const csvText = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows', quoted: true },
  )

/** Byte order mark. Without it, Excel reads a file in the code page of its machine. */
const BOM = '\ufeff'

/** Yields a CSV while its rows are read, page by page. The names of the header are ours. */
export const csvLines = (
  header: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): Readable =>
  Readable.from(
    (async function* lines() {
      yield `${BOM}${header.join(',')}\r\n`
      for await (const rows of pages) yield csvText(rows)
    })(),
    { objectMode: false },
  )

/** Returns whether CSV is asked for by name. A weight of 0 refuses it (RFC 9110). */
export const wantsCsv = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/csv' && !parameters.some((each) => /^q=0(?:\.0{0,3})?$/.test(each))
  })
