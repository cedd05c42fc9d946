import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Api, inject, startApi } from '../support/api.ts'
import { idOf, markOf, PLACES, sentAs } from '../support/matrix.ts'
import { isFull } from '../support/size.ts'
import { guarantee } from '../support/guarantee.ts'

/**
 * The matrix with the application's checks switched off: every `organization_id = …` of every
 * statement of the API is made true for all. What is left is row-level security.
 */
vi.mock('../../src/store/db/sql.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../src/store/db/sql.ts')>()
  return {
    ...actual,
    within: (...given: Parameters<typeof actual.within>) => unchecked(actual.within(...given)),
  }
})

let rewritten = 0

/** The same handle, whose statements ask for any organization's rows. */
function unchecked<T extends object>(sql: T): T {
  return new Proxy(sql, {
    apply: (target, self, [first, ...values]) =>
      Reflect.apply(target as never, self, [isTemplate(first) ? anyone(first) : first, ...values]),
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'begin' && name !== 'savepoint') return value
      return (work: (inner: object) => unknown) =>
        (value as (work: (inner: object) => unknown) => unknown).call(target, (inner) =>
          work(unchecked(inner)),
        )
    },
  })
}

const isTemplate = (first: unknown): first is TemplateStringsArray =>
  Array.isArray(first) && 'raw' in first

const texts = new Map<TemplateStringsArray, TemplateStringsArray>()

/** One text each, as a template has: the driver remembers statements by it. */
function anyone(strings: TemplateStringsArray): TemplateStringsArray {
  const known = texts.get(strings)
  if (known) return known
  const made = strings.map((text, i) =>
    i === strings.length - 1
      ? text
      : text.replace(/([\w.]*\borganization_id) = $/, (_, column: string) => {
          rewritten++
          return `${column} is not null and null::uuid is distinct from `
        }),
  )
  const all = Object.assign(made, { raw: made })
  texts.set(strings, all)
  return all
}

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

interface Leak {
  operation: string
  what: string
}

/** Calls everything of those as Alice, with Charlie's ids where there is one. */
async function attack(victim: Api, among: (operationId: string) => boolean): Promise<Leak[]> {
  const { alice, charlie, app, admin } = victim
  const leaks: Leak[] = []
  await createHashes(admin)
  // The use of a key is written beside the answer: it is none of what the attack wrote.
  await admin`
    update api_keys set last_used_at = now() + interval '1 day'
    where organization_id = ${charlie.organizationId}`
  const rowsOf = async (): Promise<string | null | undefined> => {
    const [row] = await admin<{ hashes: string | null }[]>`
      select hashes_of(${charlie.organizationId}) as hashes`
    return row?.hashes
  }
  const { body: document } = await inject(app, { method: 'GET', url: '/openapi.json' })
  for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(
    document.paths,
  )) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      const place = PLACES[operationId]
      if (place?.scopes === undefined || !among(operationId)) continue
      const id = place.id === undefined ? '' : await idOf(victim, place.id, 'other')
      const payload = await place.body?.(victim, alice)
      const query = place.query === undefined ? '' : `?${place.query}`
      const before = await rowsOf()
      const answer = await alice.send({
        method: method.toUpperCase() as NonNullable<InjectOptions['method']>,
        url: `${path.replace(/\{[^}]+\}/, encodeURIComponent(id))}${query}`,
        ...sentAs(payload, await place.headers?.(victim, alice)),
      })
      if (answer.text.includes(markOf(charlie))) {
        leaks.push({ operation: operationId, what: 'shown' })
      }
      if ((await rowsOf()) !== before) leaks.push({ operation: operationId, what: 'written' })
    }
  }
  return leaks
}

/** Creates a function that returns a hash over all rows of an organization in each table. */
async function createHashes(sql: Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(c.relname) as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`
  expect(tables.length).toBeGreaterThan(30)
  const hashes = tables.map(
    ({ name }) => `
      select '${name} ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as hash
      from ${name} as t
      where organization_id = organization`,
  )
  // PL/pgSQL keeps the plan.
  await sql.unsafe(`
    create function hashes_of(organization uuid) returns text language plpgsql as $$
    begin
      return (select string_agg(hash, ' ') from (${hashes.join(' union all ')}) as h);
    end $$`)
}

test('row-level security alone leaks nothing', async () => {
  await Promise.all([seed(api), seed(api)])
  const leaks = await attack(api, () => true)
  guarantee(() => expect(leaks).toEqual([]))
  expect(rewritten).toBeGreaterThan(15)
})

test('without it the same attack is seen to leak', async () => {
  // A session that bypasses policies.
  const bare = await startApi({}, { bypassesPolicies: true })
  await seed(bare)
  const leaks = await attack(bare, (each) => isFull || [...SHOWN, ...WRITTEN].includes(each))
  await bare.close()
  for (const operation of SHOWN) {
    expect(leaks).toContainEqual({ operation, what: 'shown' })
  }
  for (const operation of WRITTEN) {
    expect(leaks).toContainEqual({ operation, what: 'written' })
  }
})

/** Operations that leak where nothing keeps them from it. */
const SHOWN = ['listContacts', 'getContact', 'listBatches', 'getBatch', 'getTemplate']
const WRITTEN = ['cancelBatch', 'disconnectConnection']

/** Something of everything, for both. */
async function seed(victim: Api): Promise<void> {
  for (const id of ['own', 'other'] as const) {
    for (const kind of ['contact', 'connection', 'template', 'batch', 'log'] as const) {
      await idOf(victim, kind, id)
    }
  }
}
