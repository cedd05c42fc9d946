import * as imports from '../store/contacts/imports.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000
/** A process that receives an upload records each page; one that records none so long is gone. */
const SILENT_MS = 180_000
/** At up to a megabyte each. */
const PAGES = 50
const ERRORS = 10_000
/** How long the report of an import can be downloaded. */
const REPORT_DAYS = 30

/** Ends uploads that lost their process, and drops what was received and is needed no more. */
export const startImportSweeper = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'import-sweeper',
    idleMs: EVERY_MS,
    log,
    round: async () => {
      await imports.abortSilent(sql, SILENT_MS)
      const pages = await imports.dropPages(sql, PAGES)
      const errors = await imports.dropErrors(sql, REPORT_DAYS, ERRORS)
      return pages === PAGES || errors === ERRORS
    },
  })
