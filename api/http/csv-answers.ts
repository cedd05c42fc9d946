import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import { guardCell } from '../../src/domain/contacts/csv-cell.ts'

/** Of a stream: it is sent as it is. */
export const TEXT: Record<string, unknown> = { type: 'string' }

/** How a route's schema describes a file in its answer. */
export const csvFile = (description: string) => ({
  description,
  content: { 'text/csv': { schema: TEXT } },
})

/**
 * Lines of CSV (RFC 4180) that a spreadsheet can open without running any of them. All that a cell
 * says has quotes: a reader may end it at a semicolon or a line break, and the rest would be a cell
 * of its own, without our guard.
 */
const csvText = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows', quoted: true },
  )

/** Without it Excel reads a file in the code page of its machine. */
const BOM = '\ufeff'

/** A CSV that is made while it is read, page by page. The names of the header are ours. */
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

/** Whether a file is asked for by name; with a weight of 0 it is refused by name (RFC 9110). */
export const wantsCsv = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/csv' && !parameters.some((each) => /^q=0(?:\.0{0,3})?$/.test(each))
  })
