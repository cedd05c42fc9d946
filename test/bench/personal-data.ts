/**
 * Export and erasure of one contact with many mails, and what the two indexes that find them cost
 * whoever writes mails: `npx tsx test/bench/personal-data.ts [mails]`. Compiled programs, so
 * `npm run build` first.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { dayBucket, uuidv7 } from '../../src/ids.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { startSystem } from '../../src/main/system.ts'
import { startApiProcess } from '../support/api-process.ts'

const [mails = 100_000] = process.argv.slice(2).map(Number)
const ROUNDS = 5
const WRITTEN = 100_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = await mkdtemp(join(tmpdir(), 'letterloom-personal-'))
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, () => {})
const { sql } = system
const bucket = dayBucket(uuidv7())
/** Tells how much lives in its memory. */
const api = await startApiProcess(system.databaseUrl)
const megabytes = async () => Math.round((await api.memory()) / 1e6)

try {
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Alice Ltd',
    ownerEmail: 'alice@example.com',
    ownerName: 'Alice',
    plan: 'enterprise',
  })
  const call = (method: string, path: string, body?: object) =>
    fetch(`${api.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const made = await call('POST', '/v1/contacts', { email: 'ada@example.com' })
  const { id: contactId } = (await made.json()) as { id: string }
  await write({ organizationId, contactId, source: 'transactional', count: mails })
  await sql`
    insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
    select organization_id, bucket, id, 'open', decode(md5(id::text), 'hex'), now(), '{}'
    from messages where organization_id = ${organizationId}`
  await sql`
    insert into message_bodies (organization_id, bucket, id, from_address, subject, text)
    select organization_id, bucket, id, 'shop@example.com', 'Receipt', repeat('Thank you. ', 200)
    from messages where organization_id = ${organizationId}`

  for (let warm = 0; warm < 20; warm++) await (await call('GET', '/v1/contacts')).text()
  const before = await megabytes()
  let peak = before
  let bytes = 0
  const from = performance.now()
  const answer = await call('GET', `/v1/contacts/${contactId}/export`)
  let slept = 0
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length
    // A reader that pauses: what it has not read must not be made meanwhile.
    if (bytes > (slept + 1) * 20_000_000) {
      slept++
      await sleep(1_000)
      peak = Math.max(peak, await megabytes())
    }
  }
  const seconds = (performance.now() - from) / 1_000 - slept
  say(
    `export: ${mails} mails, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s; live memory of the API ${before} MB before, ${peak} MB at most`,
  )

  const erasedFrom = performance.now()
  const { id } = (await (await call('POST', `/v1/contacts/${contactId}/erase`)).json()) as {
    id: string
  }
  say(`erase answered in ${(performance.now() - erasedFrom).toFixed(0)} ms`)
  for (;;) {
    const { status } = (await (await call('GET', `/v1/erasures/${id}`)).json()) as {
      status: string
    }
    if (status === 'completed') break
    await sleep(100)
  }
  const took = (performance.now() - erasedFrom) / 1_000
  say(`erasure: completed in ${took.toFixed(1)} s, ${(mails / took).toFixed(0)} mails a second`)

  for (const source of ['batch', 'transactional']) {
    const times: Record<string, number[]> = { with: [], without: [] }
    for (let round = 0; round < ROUNDS; round++) {
      for (const indexes of ['with', 'without']) {
        await sql`truncate messages`
        if (indexes === 'without') {
          await sql`drop index messages_contact, messages_recipient`
        }
        const start = performance.now()
        await write({ organizationId, contactId: undefined, source, count: WRITTEN })
        times[indexes]?.push(performance.now() - start)
        if (indexes === 'without') await makeIndexes()
      }
    }
    const median = (name: string) => (times[name] ?? []).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
    say(
      `${WRITTEN} ${source} rows: ${median('with').toFixed(0)} ms with the indexes, ${median('without').toFixed(0)} ms without (medians of ${ROUNDS}): ${(median('with') / median('without')).toFixed(2)}`,
    )
  }

  /** Mails as freezing and enqueueing write them; of many contacts when none is named. */
  async function write(of: {
    organizationId: string
    contactId: string | undefined
    source: string
    count: number
  }): Promise<void> {
    await sql`
      insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
        contact_id, recipient, subject, state, status)
      select ${of.organizationId}, ${bucket},
        (left(${bucket}, 24) || lpad(to_hex(n), 12, '0'))::uuid,
        gen_random_uuid(), ${of.source}, ${of.organizationId},
        coalesce(${of.contactId ?? null}::uuid, gen_random_uuid()), 'ada@example.com', 'Hello',
        'sent', 'sent'
      from generate_series(1, ${of.count}::int) as n`
  }
} finally {
  await api.stop()
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

/** As the migration makes them. */
async function makeIndexes(): Promise<void> {
  await sql`
    create index messages_contact on messages (organization_id, contact_id, bucket, id)
    where source <> 'batch' and contact_id is not null`
  await sql`
    create index messages_recipient on messages (organization_id, recipient, bucket, id)
    where contact_id is null and recipient is not null`
}
