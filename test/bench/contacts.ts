/**
 * Lists and searches among a million contacts, through the whole API in this process, by the clock:
 *
 * - a search's first page of 100, as a ratio to the page of the newest 100, for each kind of word
 * - that page, as a ratio to the same SELECT by the bare driver with `JSON.stringify`
 *
 *   npx tsx test/bench/contacts.ts [rounds] [contacts] [--embedded]
 *
 * Everything is asked in turn, round after round, so that a busy machine is busy for all of it. A
 * Postgres of its own is thrown away afterwards; `--embedded` takes that of the npm package.
 */
import { processRenderer } from '../../src/mail/renderer.ts'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildApp } from '../../api/app.ts'
import { createLimiter } from '../../api/limits/limiter.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import * as audiences from '../../src/store/audience/audience.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect, type Sql, within } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { directAsker } from '../support/provider.ts'
import { offlineFetcher, offlineToolbox } from '../support/toolbox.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { embedded: { type: 'boolean', default: false } },
})
const [rounds = 40, count = 1_000_000] = positionals.map(Number)
const PAGE = 100
const AT_ONCE = 50_000
const WARM_ROUNDS = 5

const WORDS = {
  'one contact, by address': 'dora.12ab',
  'one contact, by number': '+491510000777',
  nobody: 'nobody-is-called-this',
  'some 80, one company': '@company12.com',
  'some 2,500': 'ada.3',
  'one in a hundred': 'acme-corp',
  'two in five': 'gmail',
  'three letters, one in 26': 'ada',
  'three digits': '777',
  'an address without digits, nobody': 'ada.lovelace@gmail.com',
  'two letters, one in 26': 'ad',
  'two letters, nobody': 'qj',
  'one letter': 'a',
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-contacts-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    log: () => {},
    preferEmbedded: options.embedded,
    settings: { fsync: 'off' },
  })
  const sql = connect(server.url, { name: 'bench', max: 2, statementTimeoutMs: 600_000 })
  const apiSql = connect(server.url, { name: 'bench-api', role: 'letterloom_api', max: 10 })
  const bareSql = connect(server.url, { name: 'bench-bare', max: 10 })
  const searchSql = connect(server.url, { name: 'bench-search', role: 'letterloom_search', max: 3 })
  const limiter = createLimiter({
    open: () => connect(server.url, { name: 'bench-limiter', role: 'letterloom_api', max: 2 }),
    log: { error: () => {} },
  })
  try {
    await migrate(sql)
    const { organizationId, key } = await createOrganization(sql, {
      name: 'Bench',
      ownerEmail: 'owner@example.com',
      ownerName: 'Owner',
    })
    // More than any plan has, so that what is measured is answered and not refused.
    await sql`
      insert into plan_overrides (organization_id, requests_per_minute, requests_per_day)
      values (${organizationId}, 1000000000, 1000000000)`
    const seconds = await fill(sql, organizationId)
    console.log(`Postgres ${server.major}, ${count} contacts, made in ${seconds.toFixed(0)} s`)
    const app = await buildApp({
      sql: apiSql,
      searchSql,
      keyring: parseKeyring(newKeyringText()),
      publicUrl: 'https://mail.example.com',
      sendsNotices: false,
      version: '0',
      log: { level: 'silent' },
      metrics: createMetrics(),
      trustedProxies: [],
      corsOrigins: [],
      renderer: processRenderer(),
      limiter,
      now: Date.now,
      pause: async () => {},
      principalArn: undefined,
      asker: directAsker(apiSql),
      toolbox: offlineToolbox(),
      fetcher: offlineFetcher,
      receiving: { refused: () => {} },
      mostLoopDelayMs: Number.POSITIVE_INFINITY,
    })
    const ask = async (url: string): Promise<string> => {
      const headers = { authorization: `Bearer ${key}` }
      const { statusCode, body } = await app.inject({ url, headers })
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`)
      return body
    }
    const page = `/v1/contacts?pageSize=${PAGE}`
    const url = (word: string) => `${page}&search=${encodeURIComponent(word)}`
    const bare = within(bareSql, organizationId)
    const subjects = [
      { name: 'page', act: () => ask(page) },
      {
        name: 'bare',
        act: async () =>
          JSON.stringify(
            await audiences.list(bare, organizationId, [{ type: 'all' }], { limit: PAGE + 1 }),
          ),
      },
      ...Object.entries(WORDS).map(([name, word]) => ({ name, act: () => ask(url(word)) })),
    ].map((subject) => ({ ...subject, times: [] as number[] }))
    for (let round = 0; round < WARM_ROUNDS + rounds; round++) {
      for (const { act, times } of round % 2 ? subjects : subjects.toReversed()) {
        const start = performance.now()
        await act()
        if (round >= WARM_ROUNDS) times.push(performance.now() - start)
      }
    }
    const typical = new Map(subjects.map(({ name, times }) => [name, median(times)]))
    const pageMs = typical.get('page') ?? Number.NaN
    const bareMs = typical.get('bare') ?? Number.NaN
    console.log(
      `page of ${PAGE}: ${pageMs.toFixed(1)} ms; driver and JSON: ${bareMs.toFixed(1)} ms; ratio ${(bareMs / pageMs).toFixed(2)}`,
    )
    for (const [name, word] of Object.entries(WORDS)) {
      const ms = typical.get(name) ?? Number.NaN
      const { total, totalIsExact } = JSON.parse(await ask(url(word)))
      const found = totalIsExact ? String(total) : `${total} and more`
      console.log(
        `search "${word}", ${name} (${found}): ${ms.toFixed(1)} ms, ${(ms / pageMs).toFixed(2)} of a page`,
      )
    }
    await app.close()
  } finally {
    await limiter.close()
    await Promise.all([apiSql, bareSql, searchSql, sql].map((pool) => pool.end()))
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** People with names, companies and numbers that repeat as people's do; returns the seconds. */
async function fill(sql: Sql, organizationId: string): Promise<number> {
  const start = performance.now()
  const names =
    'ada bob carl dora emil fritz greta hanna ivan julia karl lena maria nils otto paula quinn rosa sven tina ute vera willi xenia yusuf zoe'
  for (let first = 1; first <= count; first += AT_ONCE) {
    await sql`
      insert into contacts (organization_id, id, external_id, email, phone, email_status,
        first_name, last_name, properties)
      select ${organizationId},
        (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000000')::uuid, 'user-' || n,
        (string_to_array(${names}, ' '))[1 + (hashint8(n)::bigint + 2147483648) % 26] || '.'
          || substr(md5(n::text), 1, 6) || n || '@' || case
            when n % 10 < 4 then 'gmail.com'
            when n % 100 = 77 then 'acme-corp.io'
            else 'company' || n % 5003 || '.com'
          end,
        case when n % 4 = 0 then '+49151' || lpad((n * 7919 % 1000000007)::text, 10, '0') end,
        case when n % 20 = 0 then 'unsubscribed' else 'active' end, 'Ada', 'Lovelace',
        '{"plan": "pro"}'
      from generate_series(${first}::bigint, ${Math.min(first + AT_ONCE - 1, count)}::bigint) as n`
  }
  const seconds = (performance.now() - start) / 1_000
  await sql`vacuum analyze contacts`
  return seconds
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

await measure()
