import * as imports from '../store/contacts/imports.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000
/** Silence after which an upload counts as abandoned. Its process records each page. */
const SILENT_MS = 180_000
/** Pages of up to a megabyte each. */
const PAGES = 50
const ERRORS = 10_000
/** Days for which an import's report can be downloaded. */
const REPORT_DAYS = 30

/** Ends abandoned uploads, and deletes received pages that are no longer needed. */
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
