import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOrganization } from '../../src/core/access/organizations.ts'
import type { System } from '../../src/main/dev/system.ts'
import { killAndWait } from './system.ts'

/** Every such row has no address. */
const BROKEN_EVERY = 1_000
const LINES_A_PIECE = 500
const isBroken = (n: number): boolean => n % BROKEN_EVERY === BROKEN_EVERY - 1

export interface Customer {
  organizationId: string
  key: string
}

export const newCustomer = (system: System): Promise<Customer> =>
  createOrganization(system.sql, {
    name: 'Importer',
    ownerEmail: `owner-${Date.now()}-${Math.random()}@example.com`,
    ownerName: 'Owner',
    plan: 'enterprise',
  })

/** A CSV of this many people, generated while it is sent. */
export function* fileOf(rows: number): Generator<string> {
  yield 'externalId,email,firstName,lastName,Plan,properties\n'
  for (let from = 0; from < rows; from += LINES_A_PIECE) {
    let piece = ''
    for (let n = from; n < Math.min(rows, from + LINES_A_PIECE); n++) {
      const address = isBroken(n) ? 'nobody' : `person-${n}@example.com`
      piece += `ext-${n},${address},First ${n},"Last, ""${n}""",gold,"{""number"":${n}}"\n`
    }
    yield piece
  }
}

/** Sends a file. Resolves to the answer, or the error of a cut connection. */
export async function send(
  { apiUrl }: Pick<System, 'apiUrl'>,
  { key }: Customer,
  file: Iterable<string> | AsyncIterable<string>,
): Promise<{ status: number; body: { id: string; status: string } }> {
  const call = request(`${apiUrl}/v1/contacts/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
  })
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    call.once('error', reject)
    call.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.once('error', reject)
    })
  })
  const [{ status, text }] = await Promise.all([answer, pipeline(Readable.from(file), call)])
  return { status, body: JSON.parse(text) as { id: string; status: string } }
}

/** The import as the API returns it. The API may be restarting. */
export async function standing({ apiUrl }: System, { key }: Customer, id: string) {
  for (;;) {
    try {
      const answer = await fetch(`${apiUrl}/v1/contacts/imports/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      if (answer.ok) return (await answer.json()) as Record<string, unknown>
    } catch {
      // Killed a moment ago.
    }
    await sleep(100)
  }
}

export async function ended(system: System, customer: Customer, id: string) {
  for (;;) {
    const state = await standing(system, customer, id)
    if (state['finishedAt'] !== null) return state
    await sleep(200)
  }
}

/** Kills worker and API in turn with kill -9, at random moments from now on. */
export async function killAtRandom(system: System, kills: number, withinMs: number): Promise<void> {
  const moments = Array.from({ length: kills }, () => Math.random() * withinMs).toSorted(
    (a, b) => a - b,
  )
  const begunAt = performance.now()
  for (const [n, moment] of moments.entries()) {
    await sleep(Math.max(0, moment - (performance.now() - begunAt)))
    await killAndWait(n % 2 === 0 ? system.worker : system.api)
  }
}

/** Counts every row once with its own values, and the report of failed rows. */
export async function figuresOf(system: System, { organizationId, key }: Customer, id: string) {
  const [contacts] = await system.sql<Record<string, number>[]>`
    select count(*) as contacts,
      count(distinct properties -> 'number') as numbers,
      count(*) filter (where 'ext-' || (properties ->> 'number') = external_id
        and email = 'person-' || (properties ->> 'number') || '@example.com'
        and first_name = 'First ' || (properties ->> 'number')
        and last_name = 'Last, "' || (properties ->> 'number') || '"'
        and properties ->> 'Plan' = 'gold') as whole
    from contacts
    where organization_id = ${organizationId}`
  const [remaining] = await system.sql<{ pages: number }[]>`
    select count(*) as pages from import_chunks where import_id = ${id}`
  const report = await fetch(`${system.apiUrl}/v1/contacts/imports/${id}/errors`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const lines = (await report.text()).trim().split('\r\n').slice(1)
  return {
    ...contacts,
    pagesLeft: remaining?.pages,
    reported: lines.map((line) => Number.parseInt(line.slice(1), 10)),
  }
}

/** Expected `figuresOf` after a file of this many rows. */
export function wanted(rows: number) {
  const broken = Array.from({ length: rows }, (_, n) => n).filter(isBroken)
  const good = rows - broken.length
  return {
    contacts: good,
    numbers: good,
    whole: good,
    pagesLeft: 0,
    // Rows of a report are counted from 1.
    reported: broken.map((n) => n + 1),
  }
}
