import { createHash, randomBytes, randomFillSync } from 'node:crypto'

/** `0190f2c4-…`: version 7, RFC 9562. Sorts by the millisecond it was made in. */
export type Uuid = string

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => UUID.test(value)

const RANDOM_BYTES = 10
/** Asking for randomness costs as much as making an id: it is fetched for hundreds at once. */
const randomness = Buffer.alloc(RANDOM_BYTES * 400)
let used = randomness.length
/**
 * The last id: milliseconds, and 74 bits in three numbers, since big ones cost three times as much.
 */
let time = -1
let timeText = ''
let high = 0
let middle = 0
let low = 0

const HIGH = 2 ** 12
const MIDDLE = 2 ** 30
const LOW = 2 ** 32
const VERSION = 7 * HIGH
const VARIANT = 2 * MIDDLE
/** All but the time of the id that is being written. */
const lower = Buffer.alloc(10)

/**
 * A new UUIDv7 (RFC 9562, 5.7), monotonic within the process: 48 bits of milliseconds, then 74
 * random bits; when the clock stands still or steps back, the previous one plus a random step.
 */
export function uuidv7(now: number = Date.now()): Uuid {
  const at = nextRandom()
  if (now > time) {
    setTime(now)
    high = randomness.readUInt16BE(at) % HIGH
    middle = randomness.readUInt32BE(at + 2) % MIDDLE
    low = randomness.readUInt32BE(at + 6)
  } else {
    low += 1 + randomness.readUInt16BE(at)
    if (low >= LOW) carry()
  }
  lower.writeUInt16BE(VERSION + high, 0)
  lower.writeUInt32BE(VARIANT + middle, 2)
  lower.writeUInt32BE(low, 6)
  const text = lower.toString('hex')
  return `${timeText}-${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}

function carry(): void {
  low -= LOW
  middle++
  if (middle < MIDDLE) return
  middle = 0
  high++
  if (high < HIGH) return
  high = 0
  setTime(time + 1)
}

function setTime(now: number): void {
  time = now
  const text = now.toString(16).padStart(12, '0')
  timeText = `${text.slice(0, 8)}-${text.slice(8)}`
}

/** Where the next random bytes begin. */
function nextRandom(): number {
  if (used === randomness.length) {
    randomFillSync(randomness)
    used = 0
  }
  used += RANDOM_BYTES
  return used - RANDOM_BYTES
}

/** The moment a UUIDv7 was made, in milliseconds since 1970. */
export const timeOf = (id: Uuid): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/**
 * A bucket for a batch: a UUIDv7 whose last 32 bits are zero, because those bits of its rows' ids
 * hold their sequence number. The 40 random bits before them are fresh each time: what keeps
 * `uuidv7` monotonic is in the bits that are zero here. Made when freezing starts, so that the rows
 * land in today's partition.
 */
export function batchBucket(now?: number): Uuid {
  const random = randomBytes(5).toString('hex')
  return `${uuidv7(now).slice(0, 15)}${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}00000000`
}

/** The id of the `seq`-th row of a batch; the same arithmetic runs in SQL when freezing. */
export const batchRowId = (bucket: Uuid, seq: number): Uuid =>
  `${bucket.slice(0, 28)}${seq.toString(16).padStart(8, '0')}`

/** The bucket of the batch that a batch row's id belongs to. */
export const bucketOfBatchRow = (id: Uuid): Uuid => `${id.slice(0, 28)}00000000`

const DAY_MS = 86_400_000

/**
 * The bucket of single mail: the UUIDv7 of 00:00 UTC of the id's day with zero random
 * bits. It never changes, not by a reschedule either, so the id alone names the partition.
 */
export const dayBucket = (id: Uuid): Uuid => bucketStart(timeOf(id))

/**
 * The lowest bucket of the UTC day that `time` (milliseconds) falls in: the bound of a partition.
 */
export function bucketStart(time: number): Uuid {
  const hex = (Math.floor(time / DAY_MS) * DAY_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The lowest id that is made at `time` (milliseconds) or later. */
export function lowestId(time: number): Uuid {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/**
 * A UUIDv8 (RFC 9562, 5.8) made of the SHA-256 of `parts`: the same parts, the same id. Used as
 * `dedupe_key` where what decides a mail is more than one id.
 */
export function hashedId(...parts: readonly (string | number)[]): Uuid {
  const hex = createHash('sha256').update(parts.join('\u0000')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The id of the calls of one try of a webhook step. */
export const webhookCallId = (of: {
  executionId: Uuid
  stepId: string
  visit: number
  try: number
}): Uuid => hashedId('webhook', of.executionId, of.stepId, of.visit, of.try)

/** Where a UUID has its version. */
const VERSION_AT = 14
const LEAST = '00000000-0000-0000-0000-000000000000'

/**
 * The lowest id that a row about the owner of this id can have. No such row is older than its
 * owner, so that of a new contact one or two partitions are read. A day is left for clocks that
 * differ. An id that does not tell its time gives the least id there is.
 */
export const earliestAbout = (id: Uuid): Uuid =>
  id[VERSION_AT] === '7' ? bucketStart(timeOf(id) - DAY_MS) : LEAST

/** The first and the last of some ids, which bound what an update may read. */
export function span(ids: readonly Uuid[]): [Uuid, Uuid] {
  const sorted = ids.toSorted()
  return [sorted[0] ?? '', sorted.at(-1) ?? '']
}
