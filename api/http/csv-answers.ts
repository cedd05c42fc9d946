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

/** A reader may end a line at any of them, and the rest would be a cell of its own. */
const LINE_BREAK = /[\r\n]/

/** Lines of CSV (RFC 4180) that a spreadsheet can open without running any of them. */
const csvText = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows', quoted_match: LINE_BREAK },
  )

/** A CSV that is made while it is read, page by page. */
export const csvLines = (
  header: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): Readable =>
  Readable.from(
    (async function* lines() {
      yield csvText([header])
      for await (const rows of pages) yield csvText(rows)
    })(),
    { objectMode: false },
  )

/** Whether a file is asked for by name. */
export const wantsCsv = (accept: string | undefined): boolean =>
  /(?:^|,)\s*text\/csv\s*(?:;|,|$)/i.test(accept ?? '')
