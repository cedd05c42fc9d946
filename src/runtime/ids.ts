import { createHash, randomBytes, randomFillSync } from 'node:crypto'

/** `0190f2c4-…`: UUID version 7 (RFC 9562). Ids sort by the millisecond of their creation. */
export type Uuid = string

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => UUID.test(value)

const RANDOM_BYTES = 10
/** A call for randomness costs as much as an id, so it is fetched for hundreds at once. */
const randomness = Buffer.alloc(RANDOM_BYTES * 400)
let used = randomness.length
/**
 * The last id: milliseconds, and 74 bits in three numbers, since bigints cost three times as much.
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
const lower = Buffer.alloc(10)

/**
 * Returns a new UUIDv7 (RFC 9562, 5.7), monotonic within the process: 48 bits of milliseconds, then
 * 74 random bits. If the clock stands still or steps back, the id is the previous one plus a random
 * step.
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

function nextRandom(): number {
  if (used === randomness.length) {
    randomFillSync(randomness)
    used = 0
  }
  used += RANDOM_BYTES
  return used - RANDOM_BYTES
}

export const timeOf = (id: Uuid): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/**
 * Returns the bucket of a batch: a UUIDv7 whose last 32 bits are zero, because those bits of its
 * rows' ids hold their sequence number. The 40 random bits before them are new each time, since the
 * bits that keep `uuidv7` monotonic are zero here. Made when freezing starts, so that the rows land
 * in today's partition.
 */
export function batchBucket(now?: number): Uuid {
  const random = randomBytes(5).toString('hex')
  return `${uuidv7(now).slice(0, 15)}${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}00000000`
}

/** Returns the id of the `seq`-th row of a batch. SQL does the same arithmetic when freezing. */
export const batchRowId = (bucket: Uuid, seq: number): Uuid =>
  `${bucket.slice(0, 28)}${seq.toString(16).padStart(8, '0')}`

export const bucketOfBatchRow = (id: Uuid): Uuid => `${id.slice(0, 28)}00000000`

const DAY_MS = 86_400_000

/**
 * Returns the bucket of single mail: the UUIDv7 of 00:00 UTC of the id's day with zero random bits.
 * A reschedule does not change it, so the id alone names the partition.
 */
export const dayBucket = (id: Uuid): Uuid => bucketStart(timeOf(id))

export function bucketStart(time: number): Uuid {
  const hex = (Math.floor(time / DAY_MS) * DAY_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Returns the lowest id that can be created at `time` (milliseconds) or later. */
export function lowestId(time: number): Uuid {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/**
 * Returns a UUIDv8 (RFC 9562, 5.8) made of the SHA-256 of `parts`: equal parts give equal ids. Used
 * as `dedupe_key` for mails that more than one id identifies.
 */
export function hashedId(...parts: readonly (string | number)[]): Uuid {
  const hex = createHash('sha256').update(parts.join('\u0000')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const webhookCallId = (of: {
  executionId: Uuid
  stepId: string
  visit: number
  try: number
}): Uuid => hashedId('webhook', of.executionId, of.stepId, of.visit, of.try)

const VERSION_AT = 14
const LEAST = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the lowest id that a row about the owner of this id can have. No row is older than its
 * owner, so a query for a new contact reads one or two partitions. A day is allowed for clock
 * differences. An id without a time gives the lowest id of all.
 */
export const earliestAbout = (id: Uuid): Uuid =>
  id[VERSION_AT] === '7' ? bucketStart(timeOf(id) - DAY_MS) : LEAST

/** Returns the lowest and the highest id, which bound the rows that an update reads. */
export function span(ids: readonly Uuid[]): [Uuid, Uuid] {
  const sorted = ids.toSorted()
  return [sorted[0] ?? '', sorted.at(-1) ?? '']
}
