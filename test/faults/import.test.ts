import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { System } from '../../src/main/dev/system.ts'
import {
  type Customer,
  ended,
  figuresOf,
  fileOf,
  killAtRandom,
  newCustomer,
  send,
  wanted,
} from '../support/large-import.ts'
import { answered } from '../support/answered.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { startTestSystem } from '../support/system.ts'
import { guarantee } from '../support/guarantee.ts'

const ROWS = sized(3_000, 30_000)
/** The first is of the worker, the second of the API. */
const KILLS = sized(2, 5)
/** Rows that an import stores in a millisecond at most, so that kills come before its end. */
const ROWS_PER_MS = 6
const UPLOAD_TRIES = 10

let system: System
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

it('worker and API killed again and again after the 202: every row exactly once, the report complete; an upload that is cut by it changes nothing', async () => {
  const [customer, other] = [await newCustomer(system), await newCustomer(system)]
  const { open, cut } = await openUpload(other)
  // Overloaded, it may also hang up while the file is on its way.
  const { status, body } = await answered(() =>
    send(system, customer, fileOf(ROWS)).catch(() => ({
      status: 503,
      body: { id: '', status: '' },
    })),
  )
  expect({ status, state: body.status }).toEqual({ status: 202, state: 'pending' })
  const [after] = await Promise.all([
    ended(system, customer, body.id),
    killAtRandom(system, KILLS, ROWS / ROWS_PER_MS),
  ])
  const { contacts, reported } = wanted(ROWS)
  expect(after).toMatchObject({
    status: 'completed',
    rows: ROWS,
    created: contacts,
    updated: 0,
    skipped: 0,
    failed: reported.length,
  })
  const figures = await figuresOf(system, customer, body.id)
  guarantee(() => expect(figures).toEqual(wanted(ROWS)))

  expect(await cut).toBe('cut')
  // As if three minutes had passed.
  await system.sql`
    update imports set received_at = received_at - interval '1 hour' where id = ${open.id}`
  await until(() => importOf(other.organizationId, ({ status }) => status === 'aborted'))
  await until(async () => (await pagesOf(open.id)) === 0)
  await nothingLeft(other.organizationId, open.id)
}, 600_000)

/** An upload without an end, once pages of it are stored, and what will become of it. */
async function openUpload(customer: Customer) {
  for (let tries = 1; ; tries++) {
    const sent = send(system, customer, endless()).then(
      ({ status }) => `answered ${status}`,
      () => 'cut',
    )
    const begun = until(() => importOf(customer.organizationId, ({ pages }) => pages > 1))
    const open = await Promise.race([begun, sent])
    if (typeof open === 'object') return { open, cut: sent }
    // An API that has just started on a busy machine may say that it is overloaded, and hang up.
    if (!['answered 503', 'cut'].includes(open) || tries === UPLOAD_TRIES) {
      throw new Error(`an upload without an end was ${open}`)
    }
    await sleep(1_000)
  }
}

/** More than a page, and then nothing for ever. */
async function* endless() {
  yield* fileOf(5_000)
  for (;;) {
    await sleep(250)
    yield ''
  }
}

it('an upload cut short by its sender changes nothing', async () => {
  const customer = await newCustomer(system)
  const call = request(`${system.apiUrl}/v1/contacts/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'text/csv' },
  })
  call.on('error', () => {})
  for (const piece of fileOf(5_000)) call.write(piece)
  const open = await until(() => importOf(customer.organizationId, ({ pages }) => pages > 1))
  call.destroy()
  const after = await until(() =>
    importOf(customer.organizationId, ({ status }) => status === 'aborted'),
  )
  expect(open.status).toBe('receiving')
  expect(after.error).toContain('interrupted')
  await nothingLeft(customer.organizationId, after.id)
})

interface Row {
  id: string
  status: string
  pages: number
  error: string | null
}

async function importOf(organizationId: string, is: (row: Row) => boolean) {
  const [row] = await system.sql<Row[]>`
    select id, status, pages, error from imports where organization_id = ${organizationId}`
  return row && is(row) ? row : undefined
}

const pagesOf = async (id: string): Promise<number> =>
  Number(
    (
      await system.sql`
    select count(*) as pages from import_chunks where import_id = ${id}`
    )[0]?.['pages'],
  )

async function nothingLeft(organizationId: string, id: string): Promise<void> {
  const [row] = await system.sql`
    select count(*) as contacts from contacts where organization_id = ${organizationId}`
  expect(row).toEqual({ contacts: 0 })
  expect(await pagesOf(id)).toBe(0)
}
