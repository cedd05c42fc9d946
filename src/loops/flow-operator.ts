import { workOnOperation } from '../core/flows/flow-operations.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const IDLE_MS = 1_000

export const startFlowOperator = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({ name: 'flow-operator', idleMs: IDLE_MS, log, round: () => workOnOperation(sql) })
