import { setTimeout as sleep } from 'node:timers/promises'
import { recordCalls } from '../../src/core/hooks/record-calls.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { CallResult } from '../../src/store/hooks/hook-queue.ts'
import { writeWithRetry } from '../write-with-retry.ts'

/** Results are written together that come within this time. */
const GATHER_MS = 10

interface EndedCall {
  result: CallResult
  onWritten: () => void
}

/** Writes results in sets, one set after the other. */
export function createResultWriter(sql: Sql, onFailure: (error: unknown) => void) {
  let endedCalls: EndedCall[] = []
  let writing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    while (endedCalls.length > 0) {
      await sleep(GATHER_MS)
      const some = endedCalls
      endedCalls = []
      const results = some.map(({ result }) => result)
      await writeWithRetry(() => recordCalls(sql, results)).catch(onFailure)
      for (const { onWritten } of some) onWritten()
    }
  }

  return {
    add(result: CallResult, onWritten: () => void): void {
      endedCalls.push({ result, onWritten })
      writing ??= writeAll().finally(() => {
        writing = undefined
      })
    },

    /** Resolves when nothing is left to write. Undefined: nothing is. */
    written: (): Promise<void> | undefined => writing,
  }
}
