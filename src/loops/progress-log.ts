import type { Sql } from '../store/db/sql.ts'
import * as progress from '../store/platform/progress.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 60_000
/** More at a time are counted together. */
const MOST = 200

interface Deps {
  sql: Sql
  log: Log
  everyMs?: number
}

/**
 * Writes a line a minute for each batch and each import that is at work: how far it is, how fast
 * since the last line, and what it waits for. Ids and counts only.
 */
export function startProgressLog({ sql, log, everyMs = EVERY_MS }: Deps) {
  let before = new Map<string, { settled: number; at: number }>()
  return startLoop({
    name: 'progress-log',
    idleMs: everyMs,
    log,
    round: async () => {
      const [batches, imports] = await Promise.all([
        progress.listBatches(sql, MOST),
        progress.listImports(sql, MOST),
      ])
      const at = performance.now()
      const seen = new Map<string, { settled: number; at: number }>()
      const rateOf = (id: string, settled: number): number | undefined => {
        const last = before.get(id)
        seen.set(id, { settled, at })
        if (!last) return undefined
        return Math.round(((settled - last.settled) / (at - last.at)) * 10_000) / 10
      }
      for (const { waitsFor, ...batch } of batches) {
        const perSecond = rateOf(batch.batch, batch.settled)
        log.info({ ...batch, perSecond, ...(waitsFor === null ? {} : { waitsFor }) }, 'batch runs')
      }
      for (const each of imports) {
        log.info({ ...each, perSecond: rateOf(each.import, each.settled) }, 'import runs')
      }
      if (batches.length === MOST || imports.length === MOST) {
        log.info({ most: MOST }, 'more batches or imports run than have a line')
      }
      before = seen
      return false
    },
  })
}
