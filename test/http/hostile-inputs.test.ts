import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodySchema, type Operation } from '../support/document.ts'
import { processorTime } from '../support/event-loop.ts'
import { methodOf, watchedApi, type Watched } from '../support/hostile-target.ts'
import { largest, leavesOf, misfits, RAW, RUNS, withText } from '../support/hostile.ts'
import { floorMs, holdOf } from '../support/holds.ts'
import { isFull, partOf, sized, tenthOf } from '../support/size.ts'
import { REQUEST_LIMITS } from '../../api/http/request-limits.ts'

/**
 * Every operation of the document is sent what is dear to read, one in ten by default. What all
 * of them read in the same way is as large as it may be for one of each size up to `LARGE`, and
 * for the others `1 / SHARE` of that. They take turns: each size gets one of `LARGE_PARTS` parts
 * of the bodies, each of the other operations one body, each field one text, each path one run of
 * characters, each header one of `HEADER_PARTS` parts of the runs. `npm run test:slow` sends all
 * of it, as large as it may be.
 */
const SHARE = sized(32, 1)
/** Bytes of one field. */
const FIELD_BYTES = Math.floor((512 * 1024) / SHARE)
const LARGE = isFull ? Number.POSITIVE_INFINITY : REQUEST_LIMITS.bodyBytes
const LARGE_PARTS = 2
const HEADER_PARTS = 3
const TIMEOUT_MS = sized(300_000, 7_200_000)

let watched: Watched
beforeAll(async () => {
  watched = await watchedApi()
})
afterAll(() => watched.close())

const takesBody = ({ method }: Operation): boolean => !['get', 'head'].includes(method)

test('work that holds the event loop is noticed', async () => {
  const spin = async (): Promise<void> => {
    await new Promise(setImmediate)
    // Of this thread's processor time: others of the process compile and collect garbage.
    const before = processorTime()
    while (processorTime() - before < 150);
  }
  const { holdMs, boundMs } = await holdOf('a spin', '{}', floorMs(), spin)
  expect(holdMs).toBeGreaterThan(boundMs / 2)
})

test(
  'no body holds it for long, whatever it is',
  async () => {
    const done = new Set<number>()
    for (const [n, operation] of watched.operations.filter(takesBody).entries()) {
      const target = await watched.targetOf(operation)
      // Files are read while they come: see the tests of imports below.
      if (target.bodyLimit === 0) continue
      const isNew = !done.has(target.bodyLimit)
      const isFirst = isNew && target.bodyLimit <= LARGE
      if (!isNew && !isFull && n % 10 !== 0) continue
      done.add(target.bodyLimit)
      const bytes = Math.floor(target.bodyLimit / (isFirst ? 1 : SHARE)) - 64
      const raw = Object.entries(RAW)
      const bodies = isFirst ? partOf(raw, done.size, LARGE_PARTS) : partOf(raw, n, raw.length)
      for (const [name, write] of bodies) await watched.hold(name, target, write(bytes))
    }
    expect(done.size).toBeGreaterThan(2)
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'no field does',
  async () => {
    let fields = 0
    for (const operation of tenthOf(watched.operations)) {
      const schema = bodySchema(operation)
      if (schema === undefined) continue
      const target = await watched.targetOf(operation)
      const body = await target.place.body?.(watched.api, watched.api.alice)
      for (const leaf of leavesOf(schema)) {
        const texts = Object.entries(misfits(leaf.schema, FIELD_BYTES))
        for (const [name, text] of partOf(texts, fields++, texts.length)) {
          const at = `${leaf.path.join('.')}: ${name}`
          await watched.hold(at, target, withText(body, leaf.path, text))
        }
      }
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'nor does the largest body that a schema lets in',
  async () => {
    for (const [n, operation] of tenthOf(watched.operations).entries()) {
      const schema = bodySchema(operation)
      if (schema === undefined) continue
      const target = await watched.targetOf(operation)
      for (const run of partOf(RUNS, n, RUNS.length)) {
        const body = largest(schema, run, target.bodyLimit / 2)
        await watched.hold(`largest of ${run}`, target, JSON.stringify(body))
      }
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'nor do paths, queries and headers',
  async () => {
    const { api, operations } = watched
    for (const [n, operation] of tenthOf(operations).entries()) {
      const { authorization } = await watched.targetOf(operation)
      const names = operation.parameters.filter((each) => each.in === 'query')
      for (const run of isFull ? RUNS : partOf(['a', '%25', '/'], n, 3)) {
        const path = operation.path.replace(
          /\{\w+\}/g,
          encodeURIComponent(run).repeat(300).slice(0, 900),
        )
        const queries = [
          `${run}=${run}&`.repeat(7_000 / (2 * run.length + 2)),
          ...names.map(({ name }) => `${name}=${run.repeat(7_000 / run.length)}`),
        ]
        for (const query of queries) {
          const url = `${path}?${query}`
          await watched.holdRequest(`${operation.name}, ${query.slice(0, 30)}`, url, () => ({
            method: methodOf(operation),
            url,
            headers: { authorization },
          }))
        }
      }
    }
    const runs = [...RUNS, 'a,', '1.1.1.1,', '::1,', 'a=b;', 'text/html,', 'q=0.', '"']
    let sent = 0
    for (const [n, name] of tenthOf(HEADERS).entries()) {
      for (const run of partOf(runs, n, HEADER_PARTS)) {
        for (const url of partOf(
          ['/v1/contacts', '/unsubscribe/x', '/docs', '/nowhere'],
          sent++,
          4,
        )) {
          const value = `${run === 'a=b;' ? 'application/json; ' : ''}${run.repeat(12_000 / run.length)}`
          await watched.holdRequest(`${url}, ${name}: ${run}`, value, () => ({
            method: 'POST',
            url,
            headers: {
              authorization: `Bearer ${api.alice.key}`,
              'content-type': 'application/json',
              [name]: value,
            },
            payload: '{}',
          }))
        }
      }
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

const HEADERS = [
  'accept',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-none-match',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-request-id',
  'x-webhook-secret',
]
