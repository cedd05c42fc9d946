import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { ContactChanges } from '../../src/domain/contacts/contact-changes.ts'
import { AppError, badRequest, type ErrorDetail, sentence } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Format, ImportRow } from '../../src/schemas/contacts/import.ts'
import type { ImportRow as StoredRow } from '../../src/store/contacts/import-pages.ts'
import type { ImportError, NewPage } from '../../src/store/contacts/imports.ts'
import { refuseUnstorable } from '../http/bodies.ts'
import { findDuplicateKey } from '../http/edges/duplicate-keys.ts'
import { breather } from '../../src/runtime/breather.ts'
import { applyContactRules } from '../../src/core/contacts/input-rules.ts'
import { malformedBody } from '../http/errors.ts'
import {
  Broken,
  inexactNumberIn,
  type Mapping,
  READ_ONLY,
  type ReadCells,
  readHeader,
} from './import-columns.ts'
import { type CheckedInput, inputChecker } from '../http/validation.ts'

/**
 * A page is written in one transaction: long enough to be worth its round trips, short enough that
 * somebody who unsubscribes meanwhile does not notice.
 */
const MOST_ROWS = 2_000
/** Limit for rows with topics, since one workflow asks for all confirmations of a page. */
const MOST_ROWS_WITH_TOPICS = 1_000
const MOST_CHARACTERS = 1_048_576
/** Bytes of one row. */
const LONGEST_ROW = 256 * 1024
/**
 * Limits of a file. Unreadable rows are stored for the report, and a few bytes may be millions of
 * them. Further rows are in the report without their fields.
 */
const LIMITS = {
  rows: 20_000_000,
  faultyRows: 1_000_000,
  recordedCharacters: 256 * 1024 * 1024,
  /**
   * Longest time of a page, which is then stored however small it is. An upload that stores none
   * for so long is given up.
   */
  pageMs: 30_000,
}
/** Limit of a row in the report. */
const LONGEST_RECORD = 8_192
/**
 * Further fields of a row are left out of its report, since each takes five characters at least.
 */
const MOST_RECORDED = LONGEST_RECORD / 5
/** A quoted cell with blanks behind it, which the parser would take for an unquoted one. */
const QUOTED_AND_BLANK = /^"([^"]*)"\s+$/
const REPLACED = /\p{Surrogate}|\0/gu

export interface RowOptions {
  format: Format
  mapping: Mapping
  delimiter: string
  topicIds: readonly Uuid[]
  resubscribe: boolean
  findTopic: (field: 'topicIds' | 'topicSlugs', name: string) => Promise<Uuid | undefined>
}

interface RawRow {
  fields: Record<string, unknown> | Broken
  record: () => string
}

const check = inputChecker(ImportRow)

/**
 * Reads rows from a file and puts them in pages, checked by all rules that need no other contact. A
 * row that breaks one stays in its page with what is wrong; a file that is none is refused (400),
 * and so is one of which hardly anything can be read; one with too many rows is too large (413).
 */
export async function* pagesOf(
  bytes: AsyncIterable<Uint8Array>,
  options: RowOptions,
  limitChanges: Partial<typeof LIMITS> = {},
): AsyncGenerator<NewPage> {
  const limits = { ...LIMITS, ...limitChanges }
  const raw = options.format === 'csv' ? csvRows(bytes, options) : ndjsonRows(bytes)
  const shared = { topicIds: options.topicIds, resubscribe: options.resubscribe }
  let number = 0
  let faulty = 0
  let recorded = 0
  let page = 0
  let characters = 0
  let hasTopics = false
  let texts: string[] = []
  let begunAt = performance.now()
  const endPage = (): NewPage => {
    const newPage = { page, rows: texts.length, hasTopics, text: `[${texts.join(',')}]` }
    page++
    texts = []
    characters = 0
    hasTopics = false
    begunAt = performance.now()
    return newPage
  }
  const breathe = breather()
  for await (const each of raw) {
    await breathe()
    number++
    if (number > limits.rows) throw tooManyRows(limits.rows)
    const row = await checked(number, each, shared, options.findTopic)
    if ('message' in row) {
      if (++faulty > limits.faultyRows) throw tooManyFaults(limits.faultyRows)
      recorded += row.record.length
      if (recorded > limits.recordedCharacters) row.record = '{}'
    } else if (row.withoutPhone) {
      recorded += row.withoutPhone.record.length
      if (recorded > limits.recordedCharacters) row.withoutPhone.record = '{}'
    }
    const withTopics = hasTopics || 'topicIds' in row
    const isFull =
      characters >= MOST_CHARACTERS ||
      performance.now() - begunAt >= limits.pageMs ||
      texts.length >= (withTopics ? MOST_ROWS_WITH_TOPICS : MOST_ROWS)
    if (isFull && texts.length > 0) yield endPage()
    const text = JSON.stringify(row)
    hasTopics ||= 'topicIds' in row
    texts.push(text)
    characters += text.length
  }
  if (texts.length > 0) yield endPage()
}

const tooManyRows = (most: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The file has more than ${most} rows`)

const tooManyFaults = (most: number) =>
  badRequest(`More than ${most} rows of the file cannot be read: nothing was imported`, [
    {
      path: 'body',
      message: 'may have another format, or lack a mapping. Try a part of it with dryRun',
    },
  ])

async function checked(
  row: number,
  { fields, record }: RawRow,
  shared: { topicIds: readonly Uuid[]; resubscribe: boolean },
  findTopic: RowOptions['findTopic'],
): Promise<StoredRow> {
  const failed = (message: string): ImportError => ({
    row,
    message,
    record: record().slice(0, LONGEST_RECORD).replace(REPLACED, '\ufffd'),
  })
  if (fields instanceof Broken) return failed(fields.why)
  const { values, details, wishes, phoneFault } = readRow(fields)
  if (details) return failed(sentence(details))
  const { topicIds = [], topicSlugs = [], resubscribe = shared.resubscribe } = wishes
  const { externalId, email, phone } = values
  if ((externalId ?? email ?? phone) === undefined) {
    return failed(phoneFault ? sentence([phoneFault]) : 'externalId, email or phone is required')
  }

  const ids = new Set(shared.topicIds)
  for (const [field, names] of [
    ['topicIds', topicIds],
    ['topicSlugs', topicSlugs],
  ] as const) {
    for (const name of names) {
      const id = await findTopic(field, name)
      if (id === undefined) return failed(`${field} names "${name}", which does not exist`)
      ids.add(id)
    }
  }
  return {
    row,
    values: resubscribe ? { ...values, resubscribe } : values,
    ...(ids.size > 0 ? { topicIds: [...ids] } : {}),
    ...(phoneFault ? { withoutPhone: failed(WITHOUT_PHONE) } : {}),
  }
}

const WITHOUT_PHONE =
  'The contact was kept without its phone, which is not an international number such as +4915112345678'

type ReadRow = { phoneFault?: ErrorDetail | undefined } & (
  | { values: ContactChanges; wishes: Partial<ImportRow>; details?: never }
  | { details: ErrorDetail[]; values?: never; wishes?: never }
)

/** Reads a row. A phone that cannot be read is left out, and `phoneFault` tells the reason. */
function readRow(fields: Record<string, unknown>): ReadRow {
  const read = readFields(fields)
  const phoneFault = read.details?.find(({ path }) => path === 'phone')
  if (!phoneFault) return read
  const { phone: _unreadable, ...otherFields } = fields
  return { ...readFields(otherFields), phoneFault }
}

function readFields(fields: Record<string, unknown>): ReadRow {
  const { value, details } = problems(fields)
  if (details) return { details }
  const { values, details: broken } = applyContactRules(value)
  return broken ? { details: broken } : { values, wishes: value }
}

function problems(fields: Record<string, unknown>): CheckedInput<ImportRow> {
  try {
    refuseUnstorable(fields, true)
  } catch (error) {
    if (error instanceof AppError)
      return {
        details: [
          { path: 'The row', message: 'has text that cannot be stored, or is nested too deeply' },
        ],
      }
    throw error
  }
  return check(fields)
}

async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, mapping }: RowOptions,
): AsyncGenerator<RawRow> {
  let unclosedAt: number | undefined
  const parser = parse({
    bom: true,
    delimiter,
    // Files are joined by people, so that line ends differ within one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote within a cell, `5" pipe`, is one; a blank may stand before a quoted cell.
    relax_quotes: true,
    ltrim: delimiter !== '\t',
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
    // Only so the rows before a quote that is not closed are still given.
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error?.code === 'CSV_QUOTE_NOT_CLOSED') unclosedAt = parser.info.lines
      else parser.destroy(error)
    },
  })
  // What goes wrong reaches the loop below.
  pipeline(Readable.from(asUtf8(bytes)), parser, () => {})
  let header: readonly string[] = []
  let read: ReadCells | undefined
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (read === undefined) {
        header = cells
        read = readHeader(header, mapping)
        continue
      }
      // Spreadsheets write separators for rows that are empty.
      if (cells.every((cell) => cell.trim() === '')) continue
      for (const [i, cell] of cells.entries()) cells[i] = cell.replace(QUOTED_AND_BLANK, '$1')
      const record = () =>
        JSON.stringify(
          Object.fromEntries(
            cells
              .slice(0, MOST_RECORDED)
              .map((cell, i) => [header[i] ?? `column ${i + 1}`, cell])
              .filter(([, cell]) => cell !== ''),
          ),
        )
      yield { fields: read(cells), record }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw malformedBody(`is not valid CSV: ${error.code}, line ${parser.info.lines}`)
  }
  if (unclosedAt !== undefined) {
    const why = `A quote is not closed: nothing behind it, to line ${unclosedAt}, was read`
    yield { fields: new Broken(why), record: () => '{}' }
  }
  if (read === undefined) throw malformedBody('has no first line with the names of its columns')
}

async function* ndjsonRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<RawRow> {
  for await (const line of linesOf(bytes)) {
    if (line.trim() === '') continue
    yield { fields: parseLine(line), record: () => line }
  }
}

/** Ignores read-only fields, null and blank texts, so that an export can be imported. */
function parseLine(line: string): RawRow['fields'] {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return new Broken('The row is not valid JSON')
  }
  const inexact = inexactNumberIn(line)
  if (inexact !== undefined) return new Broken(inexact)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Broken('The row is not a JSON object')
  }
  const twice = findDuplicateKey(line)
  if (twice !== undefined) return new Broken(`The row repeats the key ${twice}`)
  const givenFields = Object.entries(value).filter(
    ([name, field]) => !saysNothing(field) && !READ_ONLY.some((readOnly) => readOnly === name),
  )
  return Object.fromEntries(givenFields)
}

const saysNothing = (field: unknown): boolean =>
  field === null || (typeof field === 'string' && field.trim() === '')

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decode(decoder, chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_ROW)
      throw malformedBody(`has a row of more than ${LONGEST_ROW} bytes`)
    yield* lines
  }
  yield rest + decode(decoder)
}

/** Returns the same bytes. Refuses invalid UTF-8, before it would be stored as question marks. */
async function* asUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of bytes) {
    decode(decoder, chunk)
    yield chunk
  }
  decode(decoder)
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    throw malformedBody('is not encoded as UTF-8')
  }
}
