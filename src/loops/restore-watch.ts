import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { BEAT_ID, CONTROL_QUEUE, RETENTION_ID } from '../../workflows/contract.ts'
import { markRestored } from '../core/delivery/restored.ts'
import { isUuid } from '../runtime/ids.ts'
import * as ledgerBeats from '../store/platform/ledger-beats.ts'
import { type Sql, transact } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const LOOK_MS = 5_000
/**
 * Interval of beats. A backup that is older by less cannot be noticed. Each beat costs Temporal
 * some 30 ms.
 */
const EVERY_MS = 10_000
/** A database that has counted no more beats is new: nothing of it could be sent a second time. */
const FEW_BEATS = 6
/** A schedule requires a spec. This one is paused, and is due in a thousand years. */
const NEVER = { every: 365_000 * 86_400_000 }

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
  /** Milliseconds between looks, and between beats. */
  lookMs?: number
  everyMs?: number
}

/**
 * Notices that Postgres was restored from a backup. One worker at a time counts a beat in Postgres
 * and then copies it to Temporal. So the copy is never ahead, unless Postgres lost what it had
 * counted; an ordinary stop, however long, changes nothing. Temporal's copy is the note of a paused
 * schedule, which every kind of server keeps.
 */
export function startRestoreWatch({ lookMs = LOOK_MS, ...deps }: Deps): { stop(): Promise<void> } {
  return startLoop({
    name: 'restore-watch',
    idleMs: lookMs,
    log: deps.log,
    round: async () => {
      await watchRestores(deps)
      return false
    },
  })
}

/** Database and namespace do not belong together: what the database holds must not be sent. */
export class OtherDatabase extends Error {
  readonly found = 'This database is not the one that the namespace of Temporal was used with.'
  readonly remedy =
    'Set DATABASE_URL or TEMPORAL_NAMESPACE right. If this database is to take the place of the other, run letterloom restored.'
  constructor() {
    super()
    this.message = `${this.found} ${this.remedy}`
  }
}

/** Throws `OtherDatabase` if the copy in Temporal is of another database. */
export async function requireOwnDatabase(deps: { sql: Sql; temporal: Client }): Promise<void> {
  requireOwn(await readCopy(deps.temporal), await ledgerBeats.read(deps.sql))
}

function requireOwn(copied: Copy | undefined, here: ledgerBeats.LedgerBeat): void {
  if (copied === undefined || copied.ledger === here.ledger) return
  if (here.beat > FEW_BEATS) throw new OtherDatabase()
}

/**
 * Looks once. Counts a beat if the last one is old enough. What a restore makes uncertain is marked
 * first: a worker that died over it leaves it to the next look. Throws `OtherDatabase` and leaves
 * everything as it is if the copy is of another database.
 */
export async function watchRestores({
  sql,
  temporal,
  log,
  everyMs = EVERY_MS,
}: Omit<Deps, 'lookMs'>): Promise<void> {
  await markRestored(sql)
  if ((await ledgerBeats.read(sql)).agoMs < everyMs) return
  // The copy first: what it says was counted here before.
  const copied = await readCopy(temporal)
  const here = await ledgerBeats.read(sql)
  requireOwn(copied, here)
  const isRestored = copied?.ledger === here.ledger && copied.beat > here.beat
  const next = Math.max(here.beat, isRestored ? copied.beat : 0) + 1
  const restoredAt = await transact(sql, async (tx) => {
    if (!(await ledgerBeats.countOn(tx, here, next))) return undefined
    return isRestored ? ledgerBeats.noteRestored(tx, here.agoMs) : null
  })
  // Another worker has counted meanwhile.
  if (restoredAt === undefined) return
  await markRestored(sql)
  if (restoredAt !== null) {
    log.warn(
      { restoredAt, beats: copied?.beat, here: here.beat },
      'Postgres was restored from a backup; nothing is sent until letterloom restore-check has run',
    )
  }
  await writeCopy(temporal, `${here.ledger} ${next}`)
}

interface Copy {
  ledger: string
  beat: number
}

/** Undefined: there is no copy, or another program wrote it. */
async function readCopy(temporal: Client): Promise<Copy | undefined> {
  try {
    const { state } = await temporal.schedule.getHandle(BEAT_ID).describe()
    const [ledger = '', beat = ''] = state.note?.split(' ') ?? []
    return isUuid(ledger) && /^\d{1,15}$/.test(beat) ? { ledger, beat: Number(beat) } : undefined
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

async function writeCopy(temporal: Client, note: string): Promise<void> {
  const state = { paused: true as const, note }
  const handle = temporal.schedule.getHandle(BEAT_ID)
  try {
    await handle.update((former) => ({ ...former, state }))
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
    await create(temporal, state)
  }
}

async function create(temporal: Client, state: { paused: true; note: string }): Promise<void> {
  try {
    await temporal.schedule.create({
      scheduleId: BEAT_ID,
      spec: { intervals: [NEVER] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
      // Triggered by hand it does what it does every six hours.
      action: {
        type: 'startWorkflow',
        workflowType: 'keepRetention',
        workflowId: RETENTION_ID,
        taskQueue: CONTROL_QUEUE,
        args: [],
      },
      state,
    })
  } catch (error) {
    // Another worker made it, and has its next beat soon.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}
