import { randomInt } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { type App, buildApp } from '../../api/app.ts'
import type { Deps } from '../../api/deps.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { batchBucket, batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { newApiKey, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase } from './database.ts'
import { startLimiter } from './limiter.ts'
import { connectAs } from './logins.ts'
import { directAsker } from './provider.ts'
import { offlineFetcher, offlineToolbox } from './toolbox.ts'

export interface Answer {
  status: number
  headers: Record<string, unknown>
  text: string
  /** The parsed JSON, or an empty object if the answer is not JSON. Tests know the type. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Client {
  organizationId: Uuid
  keyId: Uuid
  key: string
  send(options: InjectOptions): Promise<Answer>
  get(url: string): Promise<Answer>
  post(url: string, body?: unknown): Promise<Answer>
  put(url: string, body: object): Promise<Answer>
  patch(url: string, body: object): Promise<Answer>
  delete(url: string, body?: object): Promise<Answer>
}

export interface Api {
  app: App
  deps: Deps
  sql: Sql
  admin: Sql
  databaseUrl: string
  /** Owns organization A. Her key has full scope. */
  alice: Client
  /** A stranger who owns organization B. */
  charlie: Client
  /** A further key of an organization. */
  client(organizationId: Uuid, scopes: readonly string[], expiresAt?: string): Promise<Client>
  close(): Promise<void>
}

interface ApiOptions {
  /** Routes that only this test has. */
  addRoutes?: (app: App) => void
  /** Called with every statement of the API before it runs. */
  onQuery?: (query: string, parameters: unknown[]) => void
  /** Called with every statement of its searches. */
  onSearch?: (query: string, parameters: unknown[]) => void
  /** Longest statement of its searches, in milliseconds. */
  searchTimeoutMs?: number
  /** Runs the API as a superuser, to prove that a test sees what policies prevent. */
  bypassesPolicies?: boolean
}

/** The whole API on its own database, with the fixed cast. */
export async function startApi(
  changes: Partial<Deps> = {},
  {
    addRoutes,
    onQuery,
    onSearch,
    searchTimeoutMs = 30_000,
    bypassesPolicies = false,
  }: ApiOptions = {},
): Promise<Api> {
  const database = await createDatabase()
  const { sql, admin } = database
  const apiPool = { name: 'test-api', ...(onQuery ? { onQuery } : {}) }
  const apiSql = bypassesPolicies
    ? connect(database.url, apiPool)
    : connectAs(database.url, { ...apiPool, role: 'letterloom_api' })
  const searchSql = connectAs(database.url, {
    name: 'test-search',
    role: 'letterloom_search',
    max: 2,
    statementTimeoutMs: searchTimeoutMs,
    ...(onSearch ? { onQuery: onSearch } : {}),
  })
  const limiter = startLimiter(database.url)
  const deps: Deps = {
    sql: apiSql,
    searchSql,
    keyring: parseKeyring(newKeyringText()),
    publicUrl: 'https://mail.example.com',
    principalArn: 'arn:aws:iam::999900001111:role/letterloom',
    sendsNotices: true,
    version: '1.0.0',
    log: { level: 'silent' },
    metrics: createMetrics(),
    trustedProxies: [],
    corsOrigins: [],
    limiter,
    renderer: processRenderer(),
    asker: directAsker(sql),
    toolbox: offlineToolbox(),
    fetcher: offlineFetcher,
    receiving: { refused: () => {} },
    // Tests are on the same event loop.
    mostLoopDelayMs: Number.POSITIVE_INFINITY,
    now: Date.now,
    pause: async () => {},
    allowsHttpHooks: false,
    console: undefined,
    ...changes,
  }
  const app = await buildApp(deps)
  addRoutes?.(app)
  await app.ready()

  async function client(organizationId: Uuid, scopes: readonly string[], expiresAt?: string) {
    const { key, prefix, hash } = newApiKey()
    const keyId = uuidv7()
    await apiKeys.create(sql, {
      organizationId,
      id: keyId,
      name: 'test',
      prefix,
      hash,
      scopes,
      expiresAt,
    })
    return clientOf(app, { organizationId, keyId, key })
  }
  const [alice, charlie] = await Promise.all(
    ['A', 'B'].map(async (name) => {
      const id = uuidv7()
      await organizations.create(sql, { id, name, plan: 'enterprise' })
      return client(id, ['full'])
    }),
  )
  return {
    app,
    deps,
    sql,
    admin,
    databaseUrl: database.url,
    alice: alice!,
    charlie: charlie!,
    client,
    close: async () => {
      await app.close()
      await limiter.close()
      await Promise.all([apiSql.end(), searchSql.end()])
      await database.drop()
    },
  }
}

function clientOf(app: App, who: Pick<Client, 'organizationId' | 'keyId' | 'key'>): Client {
  const send = async (options: InjectOptions): Promise<Answer> =>
    inject(app, {
      ...options,
      headers: { authorization: `Bearer ${who.key}`, ...options.headers },
    })
  return {
    ...who,
    send,
    get: (url) => send({ method: 'GET', url }),
    post: (url, body) =>
      send({ method: 'POST', url, ...(body === undefined ? {} : { payload: body as object }) }),
    put: (url, payload) => send({ method: 'PUT', url, payload }),
    patch: (url, payload) => send({ method: 'PATCH', url, payload }),
    delete: (url, payload) =>
      send({ method: 'DELETE', url, ...(payload === undefined ? {} : { payload }) }),
  }
}

/**
 * A request without credentials. Each one has its own IP address unless the test names one, since
 * rate limits apply in tests, too.
 */
export async function inject(app: App, options: InjectOptions): Promise<Answer> {
  const { statusCode, headers, body } = await app.inject({
    remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    ...options,
  })
  const isJson = /\bjson\b/.test(String(headers['content-type'] ?? ''))
  return { status: statusCode, headers, text: body, body: isJson ? JSON.parse(body) : {} }
}

/** Counts each value. */
export function tally(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** Connects an account that can send mail. Returns the answer to its registration. */
export async function connectAccount(
  client: Client,
  account: { accountId?: string; region?: string; name?: string } = {},
): Promise<{ connectionId: Uuid; externalId: string; webhookSecret: string; created: boolean }> {
  const answer = await client.post('/v1/connections', {
    accountId: '123456789012',
    region: 'eu-central-1',
    ...account,
  })
  return created(answer)
}

/** Marks the connection as verified once, so that its events have no limit of requests. */
export const wasVerified = (sql: Sql, connectionId: Uuid) =>
  sql`update connections set first_verified_at = now() where id = ${connectionId}`

export async function createContact(client: Client, input: object): Promise<{ id: Uuid }> {
  return created(await client.post('/v1/contacts', input))
}

/** A batch to everybody with its own content. */
export async function createBatch(client: Client, input: object = {}): Promise<{ id: Uuid }> {
  const answer = await client.post('/v1/batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
    ...input,
  })
  return created(answer)
}

/** Returns the created resource. Throws if the request was refused. */
function created({ status, text, body }: Answer) {
  if (status >= 300) throw new Error(`refused with ${status}: ${text}`)
  return body
}

interface Mail {
  organizationId: Uuid
  bucket: Uuid
  id: Uuid
  connectionId: Uuid
  contactId?: Uuid
  batchId?: Uuid
  source?: string
  state?: string
  status?: string
  reason?: string
  recipient?: string
  messageId?: string
  claimId?: Uuid
}

/** Inserts a row of the ledger as freezing and sending would leave it. */
export async function insertMail(sql: Sql, mail: Mail): Promise<void> {
  await sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, batch_id, connection_id,
      contact_id, recipient, subject, state, status, reason, claim_id, claimed_at, message_id)
    values (${mail.organizationId}, ${mail.bucket}, ${mail.id}, ${mail.contactId ?? mail.id},
      ${mail.source ?? 'batch'}, ${mail.batchId ?? null}, ${mail.connectionId},
      ${mail.contactId ?? null}, ${mail.recipient ?? 'ada@example.com'}, 'News',
      ${mail.state ?? 'queued'}, ${mail.status ?? 'queued'}, ${mail.reason ?? null},
      ${mail.claimId ?? null}, ${mail.claimId ? new Date().toISOString() : null},
      ${mail.messageId ?? null})`
  if (mail.messageId !== undefined) {
    await sql`
      insert into message_ids (organization_id, message_id, connection_id, bucket, id)
      values (${mail.organizationId}, ${mail.messageId}, ${mail.connectionId}, ${mail.bucket},
        ${mail.id})`
  }
}

/** Turns a batch into a running A/B test of variants A and B. Returns its id. */
export async function asTest(
  { sql }: Pick<Api, 'sql'>,
  { organizationId }: Pick<Client, 'organizationId'>,
  batchId: Uuid,
): Promise<Uuid> {
  const test = {
    variants: [{ name: 'A' }, { name: 'B' }],
    sharePercent: 20,
    winnerBy: 'manual',
    decideAfter: null,
    said: {},
  }
  await sql`
    insert into batch_variants (organization_id, batch_id, position, content_id, subject)
    select organization_id, id, position, content_id, subject
    from batches
    cross join generate_series(0, 1) as position
    where organization_id = ${organizationId} and id = ${batchId}`
  await sql`
    update batches set status = 'processing', ab_test = ${sql.json(test)} where id = ${batchId}`
  return batchId
}

/** Ends a batch in which one contact failed. Returns its id. */
export async function batchWithFailed(
  { sql }: Pick<Api, 'sql'>,
  { organizationId }: Pick<Client, 'organizationId'>,
  batchId: Uuid,
  contactId: Uuid,
): Promise<Uuid> {
  const bucket = batchBucket()
  await freeze(sql, batchId, bucket, 1)
  const [row] = await sql<{ connectionId: Uuid }[]>`
    update batches set status = 'completed', failed = 1 where id = ${batchId} returning connection_id`
  const mail = { organizationId, bucket, batchId, contactId, connectionId: row?.connectionId ?? '' }
  const failed = { state: 'failed', status: 'failed', reason: 'message_rejected' }
  await insertMail(sql, { ...mail, ...failed, id: batchRowId(bucket, 0) })
  return batchId
}

/** Brings the batch into the state after freezing, with its rows in `bucket`. */
export const freeze = (sql: Sql, batchId: Uuid, bucket: Uuid, total: number) => sql`
  update batches
  set status = 'processing', bucket = ${bucket}, audience_frozen_at = now(), started_at = now(),
    total_recipients = ${total}
  where id = ${batchId}`
