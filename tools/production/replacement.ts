import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { operator } from '../../src/core/access/audit.ts'
import { createOrganization, setLimit } from '../../src/core/access/organizations.ts'
import { MOST_LIMIT } from '../../src/domain/access/plan.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'

/** Requests that read, for each one that writes. */
const READS = 4
const CALLERS = 64
/** Requests after each step, before the next one. */
const BETWEEN = 500
const LOOK_MS = 10
const MOST_LOCK_MS = 2_000
/** Name that `letterloom migrate` has in Postgres. */
const MIGRATOR = 'letterloom-migrate'

/** Replaces one program, or migrates. Resolves when what is new is ready. */
export interface Step {
  name: string
  run: () => Promise<unknown>
}

interface Options {
  apiUrl: string
  /** Pool with the login of workers. */
  sql: Sql
  /** Pool of a superuser. */
  admin: Sql
  steps: readonly Step[]
  /** Requests a second, if the machine can. */
  rate: number
  say: (line: string) => void
}

export interface Check {
  what: string
  expected: number
  actual: number
}

/** Migrations of a next release, of each kind that changes large tables. */
const NEXT_MIGRATIONS = {
  '9001_next-contacts.sql': 'alter table contacts add column next_release text;',
  '9002_next-messages.sql': 'alter table messages add column next_release text;',
  '9003_next-company.sql':
    'create index concurrently contacts_next on contacts (organization_id, company);',
  '9004_next-sent-at.sql':
    'create index concurrently messages_next on messages (organization_id, sent_at);',
}

/** Assembles the folder of a next release: the same programs, and migrations that come later. */
export async function assembleNext(app: string, next: string): Promise<string> {
  await cp(app, next, { recursive: true, verbatimSymlinks: true })
  for (const [name, text] of Object.entries(NEXT_MIGRATIONS)) {
    await writeFile(join(next, 'migrations', name), text)
  }
  return next
}

/**
 * Fills the tables that migrations change. Rows of one organization that nobody asks for, without
 * triggers, and without the index of parts of words, whose making would take most of the time.
 */
export async function fill(admin: Sql, rows: number): Promise<void> {
  if (rows === 0) return
  const [organization] = await admin<{ id: string }[]>`
    insert into organizations (id, name, plan)
    values (gen_random_uuid(), 'Many', 'enterprise') returning id`
  const id = organization?.id ?? ''
  await admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    const [parts] = await tx<{ definition: string }[]>`
      select pg_get_indexdef('contacts_parts'::regclass) as definition`
    await tx`drop index contacts_parts`
    await tx`
      insert into contacts (organization_id, id, email, email_status, company)
      select ${id}::uuid, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        'reader-' || lpad(n::text, 9, '0') || '@example.net', 'active', 'Company ' || n % 1000
      from generate_series(1, ${rows}::integer) n`
    // On the rows that are there by now it would take most of the time, and no lock differs.
    await tx.unsafe(`${parts?.definition ?? ''} where organization_id <> '${id}'`)
    const [day] = await tx<{ bucket: string }[]>`
      select substring(pg_get_expr(relpartbound, oid) from '\\(''(.{36})''\\)') as bucket
      from pg_class
      where relname = ${`messages_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`}`
    await tx`
      insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
        recipient, state, status, sent_at, message_id)
      select ${id}::uuid, ${day?.bucket ?? ''}::uuid, place, place, 'batch', ${id}::uuid,
        'reader-' || lpad(n::text, 9, '0') || '@example.net', 'sent', 'delivered', now(), 'm-' || n
      from generate_series(1, ${rows}::integer) n
      cross join lateral (
        select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as place
      ) each`
  })
  await admin`analyze contacts`
  await admin`analyze messages`
}

/**
 * Replaces programs step by step while callers create contacts and read them. Returns what was
 * counted, and says how fast it went.
 */
export async function replaceUnderLoad(options: Options): Promise<Check[]> {
  const { apiUrl, sql, admin, steps, rate, say } = options
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Caller',
    ownerEmail: 'caller@letterloom.example',
    ownerName: 'Caller',
    plan: 'enterprise',
  })
  await transact(sql, async (tx) => {
    for (const limit of ['requestsPerDay', 'requestsPerMinute'] as const) {
      await setLimit(tx, organizationId, { limit, value: MOST_LIMIT[limit] }, operator())
    }
  })
  const callers = startCallers({ apiUrl, key, rate })
  const locks = watchLocks(admin)
  const startedAt = performance.now()
  try {
    await callers.answered(BETWEEN)
    for (const { name, run } of steps) {
      const at = performance.now()
      await run()
      await callers.answered(BETWEEN)
      say(`${name}: after ${((performance.now() - at) / 1_000).toFixed(1)} s`)
    }
  } finally {
    await callers.stop()
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const { requests, written, failures } = callers.counts()
  const longestMs = await locks.stop()
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`)
  say(
    `${requests} requests in ${seconds.toFixed(1)} s, ${(requests / seconds).toFixed(0)} a second; ` +
      `the longest wait for a lock of the migration was ${longestMs} ms`,
  )
  const [stored] = await sql<{ contacts: number; different: number }[]>`
    select count(*)::integer as contacts, count(distinct email)::integer as different
    from contacts where organization_id = ${organizationId}`
  return [
    { what: 'failed requests', expected: 0, actual: failures.length },
    { what: 'contacts that were answered', expected: written, actual: stored?.contacts ?? 0 },
    { what: 'different ones', expected: written, actual: stored?.different ?? 0 },
    {
      what: `waits of more than ${MOST_LOCK_MS} ms`,
      expected: 0,
      actual: longestMs > MOST_LOCK_MS ? 1 : 0,
    },
  ]
}

function startCallers({ apiUrl, key, rate }: { apiUrl: string; key: string; rate: number }) {
  const pool = new Pool(apiUrl, { connections: CALLERS })
  const failures: string[] = []
  let requests = 0
  let written = 0
  let isOver = false
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  /** Due time of the next request, milliseconds. */
  let due = performance.now()

  async function ask(method: 'GET' | 'POST', path: string, body?: object) {
    due = Math.max(due + 1_000 / rate, performance.now() - 1_000)
    const waitMs = due - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    try {
      const answer = await pool.request({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode < 300) return JSON.parse(text) as { id: string }
      failures.push(`${method} ${answer.statusCode} ${text.slice(0, 200)}`)
    } catch (error) {
      failures.push(`${method} ${String(error)}`)
    } finally {
      requests++
    }
    return undefined
  }

  const running = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let n = 0; !isOver; n++) {
      const email = `caller-${caller}-${n}@example.com`
      const contact = await ask('POST', '/v1/contacts', { email })
      if (contact === undefined) continue
      written++
      for (let read = 0; read < READS && !isOver; read++) {
        await ask('GET', `/v1/contacts/${contact.id}`)
      }
    }
  })

  return {
    /** Resolves after so many further answers. */
    answered: async (count: number) => {
      const until = requests + count
      while (requests < until) await sleep(LOOK_MS)
    },
    counts: () => ({ requests, written, failures }),
    stop: async () => {
      isOver = true
      await Promise.all(running)
      await pool.close()
    },
  }
}

/** Looks all the time how long statements wait for locks that a migration has or waits for. */
function watchLocks(admin: Sql): { stop: () => Promise<number> } {
  let longestMs = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const [row] = await admin<{ ms: number | null }[]>`
        select max(extract(epoch from clock_timestamp() - l.waitstart) * 1000)::integer as ms
        from pg_locks l
        join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.application_name <> ${MIGRATOR}
          and exists (
            select from pg_stat_activity m
            where m.pid = any(pg_blocking_pids(l.pid)) and m.application_name = ${MIGRATOR}
          )`
      longestMs = Math.max(longestMs, row?.ms ?? 0)
      await sleep(LOOK_MS)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await watching
      return longestMs
    },
  }
}
