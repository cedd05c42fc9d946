import { setTimeout as sleep } from 'node:timers/promises'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Mailer } from '../../activities/mailer.ts'
import type { SendChunkResult } from '../../activities/batches/chunk-results.ts'
import { createSendChunk } from '../../activities/batches/send-chunk.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { batchRow, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** A batch whose audience is frozen, and what sends all of it as one chunk. */
async function frozenBatch(
  { rate, recipients, html = '<p>News</p>' }: { rate: number; recipients: number; html?: string },
  mailer: Mailer,
  slots?: number,
) {
  const { sql } = database
  const seeded = await seedOrganization(sql, { rate })
  const { organizationId } = seeded
  await seedContacts(sql, organizationId, recipients)
  const batchId = await seedBatch(sql, seeded, { html })
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: recipients + 1, chunkSize: recipients })
  // Somebody was mailed before: not only a few are tried at once.
  await sql`
    update batches set sent = 1, total_recipients = total_recipients + 1 where id = ${batchId}`
  const sendChunk = createSendChunk({
    sql,
    claimSql: sql,
    mailer,
    // A busy machine takes long to begin a call.
    timings: { ...SHORT_TIMINGS, beginMs: 60_000 },
    content: { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://example.com' },
    ...(slots === undefined ? {} : { slots }),
  })
  return {
    batchId,
    send: (range = { from: 0, to: recipients }): Promise<SendChunkResult> =>
      new MockActivityEnvironment().run(() => sendChunk({ ...run, ...range })),
  }
}

it('claims on while calls are under way: in flight is what rate and latency need', async () => {
  // A claim is of 30 at most: half a second of the rate.
  const RECIPIENTS = 45
  const provider = fakeMailer()
  let answer: () => void = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let calls = 0
  const mailer: Mailer = {
    ...provider,
    send: async (mail, call) => {
      calls++
      await answered
      return provider.send(mail, call)
    },
  }
  const { batchId, send } = await frozenBatch({ rate: 60, recipients: RECIPIENTS }, mailer)
  const sending = send()
  await until(async () => calls === RECIPIENTS)
  expect(await batchRow(database.sql, batchId)).toMatchObject({ sent: 1 })
  answer()
  expect(await sending).toMatchObject({ kind: 'done' })
  expect(new Set(provider.accepted).size).toBe(RECIPIENTS)
  expect(provider.accepted).toHaveLength(RECIPIENTS)
})

it('gives its slot up for a wait of seconds if others may need the slot', async () => {
  const provider = fakeMailer()
  const { send } = await frozenBatch({ rate: 0.01, recipients: 1 }, provider, 1)
  expect(await send()).toMatchObject({ kind: 'paused', reason: 'rate' })
  expect(provider.accepted).toEqual([])
})

it('keeps its slot for such a wait if other slots are free', async () => {
  const provider = fakeMailer()
  const { send } = await frozenBatch({ rate: 0.8, recipients: 1 }, provider, 8)
  expect(await send()).toMatchObject({ kind: 'done' })
  expect(provider.accepted).toHaveLength(1)
})

/** Sends a content to so many people. Returns the mails of each claim, and the most under way. */
async function claimsOf(content: { recipients: number; rate?: number; html: string }) {
  const { recipients } = content
  const claims = new Map<number, number>()
  let underWay = 0
  let mostUnderWay = 0
  const provider = fakeMailer((_, { beginBy }) => {
    claims.set(beginBy, (claims.get(beginBy) ?? 0) + 1)
    return sent()
  }, 20)
  const mailer: Mailer = {
    ...provider,
    send: (mail, call) => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay)
      return provider.send(mail, call).finally(() => underWay--)
    },
  }
  const { send } = await frozenBatch({ rate: 1_000_000, ...content }, mailer)
  expect(await send()).toMatchObject({ kind: 'done' })
  expect(new Set(provider.accepted).size).toBe(recipients)
  expect(provider.accepted).toHaveLength(recipients)
  return { sizes: [...claims.values()], mostUnderWay }
}

it('claims 250 mails of a short content, and another claim before they are answered', async () => {
  const { sizes, mostUnderWay } = await claimsOf({
    recipients: 600,
    html: '<p>{{ contact.firstName }}</p>',
  })
  expect(sizes).toEqual([250, 250, 100])
  expect(mostUnderWay).toBeLessThanOrEqual(500)
})

it('claims as many mails of a long content as it can hold, and calls for all of them', async () => {
  const CHARACTERS = 40_000
  const { sizes, mostUnderWay } = await claimsOf({
    recipients: 120,
    html: `<p>${'x'.repeat(CHARACTERS)}</p>`,
  })
  expect(sizes).toEqual([48, 48, 24])
  expect(mostUnderWay).toBeLessThanOrEqual(96)
})

it('claims few mails at a time of a content that is rendered in the threads', async () => {
  const { sizes } = await claimsOf({
    recipients: 250,
    html: '<p>{% for n in (1..2) %}{{ n }}{% endfor %}</p>',
  })
  expect(Math.max(...sizes)).toBe(100)
})

it('of a slow account claims what it may send at once', async () => {
  const { sizes } = await claimsOf({ rate: 5, recipients: 8, html: '<p>News</p>' })
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5)
})

it('is sent once by two activities at the same time', async () => {
  const RECIPIENTS = 200
  const provider = fakeMailer(undefined, 5)
  const { send } = await frozenBatch({ rate: 1_000, recipients: RECIPIENTS }, provider)
  const results = await Promise.all([send(), send()])
  expect(results.map(({ kind }) => kind)).toContain('done')
  expect(new Set(provider.accepted).size).toBe(RECIPIENTS)
  expect(provider.accepted).toHaveLength(RECIPIENTS)
})

it('holds a bounded number of mails with long contents, and sends all', async () => {
  const CHARACTERS = 1_000_000
  const MOST = 25_000_000
  const provider = fakeMailer()
  let held = 0
  let most = 0
  const mailer: Mailer = {
    ...provider,
    send: async (mail, call) => {
      const { length } = mail.html ?? ''
      held += length
      most = Math.max(most, held)
      await sleep(100)
      return provider.send(mail, call).finally(() => (held -= length))
    },
  }
  const recipients = 40
  const html = 'x'.repeat(CHARACTERS)
  const { send } = await frozenBatch({ rate: 1_000, recipients, html }, mailer)
  const halves = [
    { from: 0, to: recipients / 2 },
    { from: recipients / 2, to: recipients },
  ]
  await Promise.all(halves.map((half) => send(half)))
  expect(new Set(provider.accepted).size).toBe(recipients)
  expect(provider.accepted).toHaveLength(recipients)
  expect(most).toBeGreaterThan(CHARACTERS)
  expect(most).toBeLessThan(MOST)
})
