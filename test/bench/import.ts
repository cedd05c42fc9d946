/**
 * What an import costs beside a bare insert: the same rows, `unnest` of a thousand a statement,
 * into the same table with its indexes, a million contacts of the organization present.
 *
 *   npm run build && npx tsx test/bench/import.ts [rounds] [rows] [present]
 *
 * The import is the activity as a worker runs it: pages out of storage, locks, suppression list,
 * rules of statuses, insert, figures. Both in turn, round after round, on one connection each, so
 * that a busy machine is busy for both. A Postgres of its own is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Activities from '../../activities/contacts/imports.ts'
import { pagesOf } from '../../api/contacts/import-rows.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import * as imports from '../../src/store/contacts/imports.ts'
import type { NewPage } from '../../src/store/contacts/imports.ts'
import { makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { connectAs } from '../support/logins.ts'

const [rounds = 7, rows = 20_000, present = 1_000_000] = process.argv.slice(2).map(Number)
const PAGE = 1_000

interface Person {
  externalId: string
  email: string
  firstName: string
  lastName: string
  properties: { plan: string; n: number }
}

const people = (round: string): Person[] =>
  Array.from({ length: rows }, (_, n) => {
    // In no order, as addresses come.
    const key = `${((n * 7919) % rows).toString(36)}-${round}`
    return {
      externalId: `user-${key}`,
      email: `${key}@example.com`,
      firstName: 'Ada',
      lastName: 'Lovelace',
      properties: { plan: 'gold', n },
    }
  })

/** Compiled, as a worker runs it. */
const compiled = new URL('../../dist/activities/contacts/imports.js', import.meta.url)
const { createImportActivities } = (await import(compiled.href)) as typeof Activities

const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const postgres = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off' },
})
await makeLogins(postgres.url)
const owner = connect(postgres.url, { name: 'bench', max: 1, statementTimeoutMs: 600_000 })
const worker = { role: 'letterloom_worker', max: 1 } as const
const bareSql = connectAs(postgres.url, { name: 'bench-bare', ...worker })
const importSql = connectAs(postgres.url, { name: 'bench-import', ...worker })

try {
  await migrate(owner)
  const { organizationId } = await createOrganization(owner, {
    name: 'Bench',
    ownerEmail: 'owner@example.com',
    ownerName: 'Owner',
  })
  await owner`
    insert into contacts (organization_id, id, external_id, email, email_status, properties)
    select ${organizationId}, gen_random_uuid(), 'old-' || n, md5(n::text) || '@example.com',
      'active', '{"plan":"pro"}'
    from generate_series(1, ${present}::int) as n`
  await owner`vacuum analyze contacts`
  const { beginImport, importPages } = createImportActivities({
    sql: importSql,
    keyring: parseKeyring(newKeyringText()),
  })

  const bare = async (given: readonly Person[]): Promise<number> => {
    const begunAt = performance.now()
    for (let from = 0; from < given.length; from += PAGE) {
      const some = given.slice(from, from + PAGE)
      await bareSql`
        insert into contacts (organization_id, id, external_id, email, email_status, first_name,
          last_name, properties)
        select ${organizationId}, id, external_id, email, 'active', first_name, last_name,
          properties::jsonb
        from unnest(
          ${some.map(() => uuidv7())}::uuid[],
          ${some.map(({ externalId }) => externalId)}::text[],
          ${some.map(({ email }) => email)}::text[],
          ${some.map(({ firstName }) => firstName)}::text[],
          ${some.map(({ lastName }) => lastName)}::text[],
          ${some.map(({ properties }) => JSON.stringify(properties))}::text[]
        ) as row (id, external_id, email, first_name, last_name, properties)`
    }
    return (performance.now() - begunAt) / 1000
  }

  const received = async (given: readonly Person[]): Promise<string> => {
    const id = uuidv7()
    const upload = await imports.create(owner, organizationId, {
      id,
      format: 'ndjson',
      onDuplicate: 'update',
      dryRun: false,
      mayLift: false,
      requestId: id,
    })
    if (!upload) throw new Error('no import was made')
    async function* bytes() {
      yield Buffer.from(given.map((person) => JSON.stringify(person)).join('\n'))
    }
    const pages: AsyncIterable<NewPage> = pagesOf(bytes(), {
      format: 'ndjson',
      mapping: new Map(),
      delimiter: ',',
      topicIds: [],
      resubscribe: false,
      findTopic: async () => undefined,
    })
    for await (const page of pages) await imports.addPage(owner, upload, page)
    await transact(owner, (tx) => imports.finishUpload(tx, upload))
    return id
  }

  const whole = async (given: readonly Person[]): Promise<number> => {
    const importId = await received(given)
    const begunAt = performance.now()
    await beginImport({ organizationId, importId })
    while (!(await importPages({ organizationId, importId })));
    const seconds = (performance.now() - begunAt) / 1000
    const state = await imports.find(owner, organizationId, importId)
    if (state?.created !== given.length) throw new Error('not every row was created')
    return seconds
  }

  const again = async (given: readonly Person[], change: (person: Person) => Person) => {
    const importId = await received(given.map(change))
    const begunAt = performance.now()
    await beginImport({ organizationId, importId })
    while (!(await importPages({ organizationId, importId })));
    return (performance.now() - begunAt) / 1000
  }

  const ratios: number[] = []
  const rates: Record<string, number[]> = { bare: [], import: [], unchanged: [], changed: [] }
  for (let round = -1; round < rounds; round++) {
    const [first, second] = [people(`b${round}`), people(`i${round}`)]
    const seconds = { bare: 0, import: 0 }
    const both = [
      async () => (seconds.bare = await bare(first)),
      async () => (seconds.import = await whole(second)),
    ]
    for (const each of round % 2 ? both : both.toReversed()) await each()
    const unchanged = await again(second, (person) => person)
    const changed = await again(second, (person) => ({ ...person, firstName: 'Grace' }))
    // The first round warms both.
    if (round < 0) continue
    ratios.push(seconds.bare / seconds.import)
    rates['bare']?.push(rows / seconds.bare)
    rates['import']?.push(rows / seconds.import)
    rates['unchanged']?.push(rows / unchanged)
    rates['changed']?.push(rows / changed)
  }
  for (const [name, each] of Object.entries(rates)) {
    console.log(`${name}: ${Math.round(median(each))} rows/s`)
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  console.log(
    `import / bare insert: ${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}), ${present} contacts present`,
  )
} finally {
  await Promise.all([owner.end(), bareSql.end(), importSql.end()])
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
