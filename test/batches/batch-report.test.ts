import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { batchRowId, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startJanitor } from '../../src/loops/janitor.ts'
import * as mailUnsubscribes from '../../src/store/consent/mail-unsubscribes.ts'
import { type Executor, type Sql, transact } from '../../src/store/db/sql.ts'
import * as erasedMails from '../../src/store/privacy/erased-mails.ts'
import * as batchReports from '../../src/store/batches/batch-reports.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as linkClicks from '../../src/store/batches/link-clicks.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { type Api, asTest, connectAccount, createBatch, startApi } from '../support/api.ts'
import { insertSent } from '../support/figures.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

let api: Api
let sql: Sql
let connectionId: Uuid
beforeAll(async () => {
  api = await startApi()
  sql = connectAs(api.databaseUrl, { name: 'reports', max: 8, role: 'letterloom_worker' })
  connectionId = (await connectAccount(api.alice)).connectionId
  await api.sql`update connections set is_verified = true where id = ${connectionId}`
})
afterAll(async () => {
  await sql.end()
  await api.close()
})

const START = Date.now() - 3 * 86_400_000
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString()
const PERSON = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const OFFER = 'https://example.com/offer?a=1&b="2"'
const OWN = 'https://example.com/own?for=ada'
/** Has the shape of our tokens. */
const TOKEN = `AQEB${'A'.repeat(126)}`
const REASONS = [
  ['Permanent', 'General'],
  ['Transient', 'MailboxFull'],
  ['Permanent', 'OnAccountSuppressionList'],
] as const

interface Sent {
  batchId: Uuid
  bucket: Uuid
  templateId: Uuid
  contactIds: Uuid[]
}

const tags = (bucket: Uuid, id: Uuid) => ({
  'letterloom-message': [`${bucket}_${id}`],
  'letterloom-organization': [api.alice.organizationId],
})

const eventOf = (bucket: Uuid, id: Uuid, [eventType, part]: [string, object]) => ({
  detail: {
    eventType,
    mail: { timestamp: at(0), messageId: `m-${id}`, tags: tags(bucket, id) },
    ...part,
  },
})

const click = (minutes: number, link: string): [string, object] => [
  'Click',
  { click: { timestamp: at(minutes), link, userAgent: PERSON } },
]

/** Returns the events of the nth mail of a batch. */
function told(n: number): [string, object][] {
  const [bounceType, bounceSubType] = REASONS[n % 3] ?? REASONS[0]
  const open = (minutes: number, userAgent: string): [string, object] => [
    'Open',
    { open: { timestamp: at(minutes), userAgent } },
  ]
  if (n % 5 === 4) {
    return [
      ['Bounce', { bounce: { bounceType, bounceSubType, timestamp: at(2), feedbackId: `${n}` } }],
    ]
  }
  return [
    ['Delivery', { delivery: { timestamp: at(1) } }],
    ...(n % 8 === 1 ? [autoReply(n)] : []),
    ...(n % 2 === 0 ? [open(60 + n, PERSON), open(n, 'Barracuda/1.0')] : []),
    ...(n % 4 === 1 ? [open(70, 'Mozilla/5.0')] : []),
    ...(n % 3 === 0 ? [click(200 + n, OFFER), click(300, OFFER), click(9 + n, OFFER)] : []),
    ...(n % 6 === 0 ? [click(310, 'https://example.com/more')] : []),
    ...(n === 0 ? [click(311, OWN)] : []),
    ...(n % 7 === 0 ? [click(400, `https://mail.example.com/unsubscribe/${TOKEN}`)] : []),
    ...(n % 11 === 1 ? [complaint(n)] : []),
  ]
}
const autoReply = (n: number): [string, object] => [
  'Bounce',
  {
    bounce: {
      bounceType: 'Transient',
      bounceSubType: 'General',
      timestamp: at(n % 3),
      feedbackId: `r-${n}`,
    },
  },
]
const complaint = (n: number): [string, object] => [
  'Complaint',
  { complaint: { timestamp: at(500), feedbackId: `c-${n}` } },
]

async function store(bodies: readonly object[]): Promise<void> {
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${api.alice.organizationId}, ${connectionId}, gen_random_uuid()::text, body
    from jsonb_array_elements(${sql.json([...bodies])}) as given (body)`
}

const apply = async (most = 500) => {
  while ((await applyEvents(sql, api.deps.keyring, most)) > 0);
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((each) => ({ each, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ each }) => each)

/** A batch that was sent to `count` contacts of some domains; the first has a domain of its own. */
async function sendBatch(count: number): Promise<Sent> {
  const { organizationId } = api.alice
  const template = await api.alice.post('/v1/templates', {
    name: `Weekly ${uuidv7()}`,
    subject: 'News',
    source: '<p>News</p>',
    sourceType: 'html',
  })
  const mark = uuidv7()
  // Rows of a batch are in the order of their contacts.
  const contactIds = Array.from({ length: count }, () => uuidv7())
  await sql`
    insert into contacts (organization_id, id, email, email_status)
    select ${organizationId}, id, 'reader-' || n || ${`-${mark}@`}
      || case when n = 1 then ${`ada-${mark}.example`} else 'd' || n % 4 || '.example' end, 'active'
    from unnest(${contactIds}::uuid[]) with ordinality as given (id, n)`
  const input = { audienceType: 'contacts', contactIds, name: 'Weekly', htmlContent: undefined }
  const { id: batchId } = await createBatch(api.alice, { ...input, templateId: template.body.id })
  await freezePage(sql, {
    organizationId,
    batchId,
    attempt: 1,
    pageSize: 100_000,
    chunkSize: 100,
  })
  const bucket = (await batchRuns.context(sql, organizationId, batchId))?.bucket ?? ''
  const range = { from: batchRowId(bucket, 0), to: batchRowId(bucket, count), limit: count }
  const claimId = uuidv7()
  const claim = { organizationId, batchId, attempt: 1, bucket, connectionId, claimId, ...range }
  const { recipients } = await claimRange(sql, claim)
  const results = recipients.map(
    ({ id }, n): Result =>
      n === 2
        ? { id, outcome: 'failed', reason: 'message_rejected', error: 'no' }
        : { id, outcome: 'sent', messageId: `m-${id}`, subject: 'News' },
  )
  await recordResults(sql, { organizationId, bucket, claimId, batchId }, results)
  return { batchId, bucket, templateId: template.body.id, contactIds }
}

const eventsOf = ({ bucket, contactIds }: Sent) =>
  contactIds.flatMap((_, n) =>
    n === 2 ? [] : told(n).map((event) => eventOf(bucket, batchRowId(bucket, n), event)),
  )

interface Log {
  id: Uuid
  recipient: string | null
  sentAt: string | null
  deliveredAt: string | null
  openedAt: string | null
  clickedAt: string | null
  bouncedAt: string | null
  bounceType: string
  bounceSubType: string
  complainedAt: string | null
}

async function logsOf(batchId: Uuid): Promise<Log[]> {
  const logs: Log[] = []
  for (let cursor = ''; ; ) {
    const { body } = await api.alice.get(`/v1/email/logs?batchId=${batchId}&limit=100${cursor}`)
    logs.push(...body.logs)
    if (body.nextCursor === null) return logs
    cursor = `&cursor=${body.nextCursor}`
  }
}

const NOTHING = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  suppressed: 0,
  complained: 0,
}
/** A transient bounce of a mail that arrived is an automatic reply. */
const hasBounced = ({ bouncedAt, bounceType, deliveredAt }: Log) =>
  bouncedAt !== null && !(bounceType === 'Transient' && deliveredAt !== null)
const isSuppressed = ({ bounceSubType }: Log) => bounceSubType === 'OnAccountSuppressionList'
const countBy = (keys: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

/** Returns the expected report, counted log by log. */
async function oracle(batchId: Uuid) {
  const logs = (await logsOf(batchId)).filter(({ sentAt }) => sentAt !== null)
  const domains: Record<string, typeof NOTHING> = {}
  for (const log of logs) {
    const figures = (domains[log.recipient?.split('@')[1] ?? 'null'] ??= { ...NOTHING })
    figures.sent++
    figures.delivered += Number(log.deliveredAt !== null)
    figures.opened += Number(log.openedAt !== null)
    figures.clicked += Number(log.clickedAt !== null)
    figures.bounced += Number(hasBounced(log) && !isSuppressed(log))
    figures.suppressed += Number(log.bouncedAt !== null && isSuppressed(log))
    figures.complained += Number(log.complainedAt !== null)
  }
  const hour = (time: string | null) => (time === null ? [] : [`${time.slice(0, 13)}:00:00.000Z`])
  const links: Record<string, { clicks: number; recipients: number }> = {}
  for (const { id } of logs.filter(({ clickedAt }) => clickedAt !== null)) {
    const { body } = await api.alice.get(`/v1/email/logs/${id}`)
    expect(JSON.stringify(body.events)).not.toContain(TOKEN)
    const clicked: string[] = body.events
      .flatMap(({ type, data }: { type: string; data: { link?: string } }) =>
        type === 'click' && data.link !== undefined ? [data.link] : [],
      )
      // A link that acts for the recipient leads nowhere in the log, and is no link of the report.
      .filter((link: string) => !link.endsWith('/unsubscribe/preview'))
    for (const [link, clicks] of Object.entries(countBy(clicked))) {
      const sum = (links[link] ??= { clicks: 0, recipients: 0 })
      sum.clicks += clicks
      sum.recipients++
    }
  }
  return {
    domains,
    links,
    opened: countBy(logs.flatMap(({ openedAt }) => hour(openedAt))),
    clicked: countBy(logs.flatMap(({ clickedAt }) => hour(clickedAt))),
    bounces: countBy(
      logs.flatMap((log) => (hasBounced(log) ? [`${log.bounceType} ${log.bounceSubType}`] : [])),
    ),
  }
}

/* oxlint-disable typescript/no-explicit-any */
const byKey = (rows: any[], key: (row: any) => string, value: (row: any) => unknown) =>
  Object.fromEntries(rows.map((row) => [key(row), value(row)]))

/** Converts a report to the form of `oracle`. */
const asCounted = ({ domains, links, overTime, bounces }: any) => ({
  domains: byKey(
    domains,
    ({ domain }) => String(domain),
    (row) => Object.fromEntries(Object.keys(NOTHING).map((name) => [name, row[name]])),
  ),
  links: byKey(
    links,
    ({ url }) => url,
    ({ clicks, recipients }) => ({ clicks, recipients }),
  ),
  opened: byKey(
    overTime.data.filter(({ opened }: any) => opened > 0),
    ({ from }) => from,
    ({ opened }) => opened,
  ),
  clicked: byKey(
    overTime.data.filter(({ clicked }: any) => clicked > 0),
    ({ from }) => from,
    ({ clicked }) => clicked,
  ),
  bounces: byKey(
    bounces,
    ({ type, subType }) => `${type} ${subType}`,
    ({ count }) => count,
  ),
})
/* oxlint-enable typescript/no-explicit-any */

const reportOf = async (batchId: Uuid) => (await api.alice.get(`/v1/batch/${batchId}/report`)).body

/** The report says what the batch and its logs say. */
async function expectRight(batchId: Uuid) {
  const report = await reportOf(batchId)
  const { body: batch } = await api.alice.get(`/v1/batch/${batchId}`)
  const { recipients, openedByPeople: _, ...funnel } = report.funnel
  expect(batch).toMatchObject({ ...funnel, totalRecipients: recipients })
  expect(asCounted(report)).toEqual(await oracle(batchId))
  return report
}

describe('a report', () => {
  test('equals the batch and the logs, in whatever order and by whichever worker events are applied', async () => {
    const count = sized(40, 5_000)
    const sent = await sendBatch(count)
    const { batchId, contactIds } = sent
    const bodies = eventsOf(sent)
    await store(shuffled([...bodies, ...bodies]))
    const unsubscribing = async () => {
      for (const contactId of contactIds.slice(0, 3)) {
        await transact(sql, async (tx) => {
          const { organizationId } = api.alice
          const mail = await mailUnsubscribes.lockMail(tx, organizationId, { batchId, contactId })
          if (mail) await mailUnsubscribes.markMail(tx, organizationId, mail)
        })
      }
    }
    await Promise.all([...[7, 7, 11].map(apply), unsubscribing()])
    await apply()

    const report = await expectRight(batchId)
    expect(report.funnel).toMatchObject({
      sent: count - 1,
      failed: 1,
      unsubscribed: 3,
      // Who clicked has opened it, too.
      openedByPeople: contactIds.filter(
        (_, n) => (n % 2 === 0 || n % 3 === 0) && n !== 2 && n % 5 !== 4,
      ).length,
    })
    const sum = (name: string): number =>
      report.overTime.data.reduce(
        (all: number, point: Record<string, number>) => all + (point[name] ?? 0),
        0,
      )
    // The third is of a mail that was not sent.
    expect([sum('openedByPeople'), sum('unsubscribed')]).toEqual([report.funnel.openedByPeople, 2])
    expect(Object.keys((await oracle(batchId)).bounces)).toHaveLength(3)
    expect((await rebuildFigures(sql, api.alice.organizationId)).corrected).toBe(0)
  })

  test('is counted again by a rebuild', async () => {
    const sent = await sendBatch(20)
    await store(eventsOf(sent))
    await apply()
    await sql`update batch_figures set opened = opened + 3 where batch_id = ${sent.batchId}`
    await sql`
      delete from batch_figures where batch_id = ${sent.batchId} and dimension = 'bounce'`
    await sql`update link_clicks set clicks = clicks + 9 where batch_id = ${sent.batchId}`
    await sql`delete from link_clicks where batch_id = ${sent.batchId} and url = ${OWN}`
    const { corrected } = await rebuildFigures(sql, api.alice.organizationId)
    expect(corrected).toBeGreaterThan(5)
    await expectRight(sent.batchId)
    expect((await rebuildFigures(sql, api.alice.organizationId)).corrected).toBe(0)
  })

  test('keeps no domain and no link that only an erased person had', async () => {
    const sent = await sendBatch(12)
    await store(eventsOf(sent))
    await apply()
    const { organizationId } = api.alice
    const contactIds = sent.contactIds.slice(0, 1)
    const erase = (on: Sql) =>
      transact(on, (tx) => {
        const mailed = { organizationId, contactIds, addressHashes: [], until: at(9_999) }
        return erasedMails.empty(tx, mailed, sent.bucket, [batchRowId(sent.bucket, 0)])
      })
    // Somebody else adds to the same figures meanwhile: what is taken away is a part of its own.
    await transact(sql, async (tx) => {
      await tx`update batch_figures set sent = sent where batch_id = ${sent.batchId}`
      await tx`update link_clicks set clicks = clicks where batch_id = ${sent.batchId}`
      await erase(sql)
    })
    const leftovers = async () => [
      ...(await sql`
        select from batch_figures
        where batch_id = ${sent.batchId} and value like 'ada-%'`),
      ...(await sql`select from link_clicks where batch_id = ${sent.batchId} and url = ${OWN}`),
    ]
    expect(await leftovers()).toHaveLength(4)
    const report = await expectRight(sent.batchId)
    expect(report.links.map(({ url }: { url: string }) => url)).not.toContain(OWN)

    expect(await batchReports.mergeParts(sql)).toBeGreaterThan(0)
    expect(await linkClicks.mergeParts(sql)).toBeGreaterThan(0)
    expect(await leftovers()).toHaveLength(0)
    await expectRight(sent.batchId)
    expect((await rebuildFigures(sql, organizationId)).corrected).toBe(0)
  })

  test('is empty for a batch that mailed nobody', async () => {
    const { id } = await createBatch(api.alice)
    const { status, body } = await api.alice.get(`/v1/batch/${id}/report`)
    expect([status, body]).toMatchObject([
      200,
      { funnel: { sent: 0 }, overTime: { hoursEach: 1, data: [] }, links: [], domains: [] },
    ])
    expect((await page(id)).text).toContain('Nothing was opened or clicked yet.')
  })

  test('is shown to its organization only', async () => {
    const { id } = await createBatch(api.alice)
    const url = `/v1/batch/${id}/report`
    expect((await api.charlie.get(url)).status).toBe(403)
    expect((await api.alice.get(`/v1/batch/${uuidv7()}/report`)).status).toBe(404)
    const writer = await api.client(api.alice.organizationId, ['contacts'])
    expect((await writer.get(url)).status).toBe(403)
  })
})

const page = (batchId: Uuid, accept = 'text/html,*/*') =>
  api.alice.send({
    method: 'GET',
    url: `/v1/batch/${batchId}/report`,
    headers: { accept },
  })

describe('the page of a report', () => {
  test('shows all figures with charts, runs nothing and loads nothing', async () => {
    const sent = await sendBatch(24)
    await store(eventsOf(sent))
    await apply()
    await api.sql`
      update batches set name = '<script>alert(1)</script>', subject = '"><img src=x onerror=y>'
      where id = ${sent.batchId}`
    await asTest(api, api.alice, sent.batchId)
    const { status, text, headers } = await page(sent.batchId)
    expect([status, headers['content-type'], headers['vary'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
      'no-store',
    ])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'nonce-/)
    expect(text).not.toMatch(/<script|<img|\son\w+="| style="|href=/)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).toContain('https://example.com/offer?a=1&amp;b=&quot;2&quot;')

    const report = await reportOf(sent.batchId)
    const cells = [...text.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(
      ([, name, rest = '']) => [name, ...rest.split(/<[^>]*>/).filter((cell) => cell !== '')],
    )
    const { delivered, sent: all } = report.funnel
    const share = `${((delivered / all) * 100).toFixed(1)} %`
    expect(cells).toContainEqual(['Delivered', String(delivered), share])
    for (const { from, opened, openedByPeople, clicked, unsubscribed } of report.overTime.data) {
      const time = `${from.slice(0, 16).replace('T', ' ')} UTC`
      const figures = [opened, openedByPeople, clicked, unsubscribed].map(String)
      expect(cells).toContainEqual([time, ...figures])
    }
    for (const { domain, sent: to } of report.domains) {
      expect(
        cells.filter(([name, number]) => name === domain && number === String(to)),
      ).toHaveLength(1)
    }
    expect(cells).toContainEqual(['Transient, MailboxFull', 'bounced', '2'])
    expect(cells.filter(([name]) => name?.startsWith('A: '))).toHaveLength(1)
    expect(text.match(/<svg class="chart"[^>]* role="img"/g)).toHaveLength(2)
    for (const id of ['funnel', 'time']) {
      expect(text).toMatch(new RegExp(`<title id="${id}-title">[^<]+</title>`))
      expect(text).toMatch(new RegExp(`<desc id="${id}-description">[^<]+</desc>`))
    }
  })

  test('is sent only to requests that name HTML', async () => {
    const { id } = await createBatch(api.alice)
    for (const accept of ['*/*', 'application/json', 'application/json, text/plain']) {
      expect((await page(id, accept)).body).toMatchObject({ id })
    }
  })
})

describe('clicks of a template', () => {
  test('are those of its batches and its single mails, by link', async () => {
    const sent = await sendBatch(12)
    const { organizationId } = api.alice
    const [mail] = await insertSent(sql, { organizationId, connectionId }, [
      { sentAt: at(0), source: 'workflow', templateId: sent.templateId },
      { sentAt: at(0), source: 'workflow' },
    ])
    const { id, bucket } = mail ?? { id: '', bucket: '' }
    expect(bucket).toBe(dayBucket(id))
    await sql`update messages set recipient = 'ada@example.com' where id = ${id}`
    await store([...eventsOf(sent), eventOf(bucket, id, click(5, OFFER))])
    await apply()
    const url = `/v1/templates/${sent.templateId}/clicks`
    const { status, body } = await api.alice.get(url)
    const ofBatch = (await api.alice.get(`/v1/batch/${sent.batchId}/clicks`)).body.data
    const { domains: _, links } = await oracle(sent.batchId)
    const shown = (data: { url: string; clicks: number; recipients: number }[]) =>
      Object.fromEntries(
        data.map(({ url: link, clicks, recipients }) => [link, { clicks, recipients }]),
      )
    expect(shown(ofBatch)).toEqual(links)
    const offer = links[OFFER] ?? { clicks: 0, recipients: 0 }
    expect([status, shown(body.data)]).toEqual([
      200,
      { ...links, [OFFER]: { clicks: offer.clicks + 1, recipients: offer.recipients + 1 } },
    ])
    const first = await api.alice.get(`${url}?limit=1`)
    const rest = await api.alice.get(`${url}?limit=100&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...rest.body.data]).toEqual(body.data)
    const other = `/v1/batch/${sent.batchId}/clicks?cursor=${first.body.nextCursor}`
    expect((await api.alice.get(other)).status).toBe(400)
    expect((await api.charlie.get(url)).status).toBe(403)
  })
})

describe('of more links than a batch has rows for', () => {
  const MOST_LINKS = 1_000
  const PEOPLE = 24
  const EACH = 44
  /** Links that are clicked once more. */
  const AGAIN = sized(100, PEOPLE * EACH)
  const linkOf = (n: number, k: number) => `https://example.com/to/${n}/${k}`

  /** Rows of its own, parts summed, and what all clicks come to. */
  async function read(batchId: Uuid) {
    const [row] = await sql`
      select (count(distinct key) filter (where url <> ''))::int as links,
        (sum(clicks) filter (where url <> ''))::int as own,
        (sum(clicks) filter (where url = ''))::int as others,
        (sum(recipients) filter (where url = ''))::int as other_recipients
      from link_clicks where batch_id = ${batchId}`
    return row
  }
  const ownLinks = async (batchId: Uuid): Promise<string[]> => {
    const rows = await sql<{ url: string }[]>`
      select distinct url from link_clicks where batch_id = ${batchId} and url <> ''`
    return rows.map(({ url }) => url)
  }
  const corrected = async () =>
    (await rebuildFigures(sql, api.alice.organizationId, 1_000)).corrected

  test('the others are one row, and a recount has the same figures', async () => {
    const { bucket, batchId } = await sendBatch(PEOPLE)
    const bodies = Array.from({ length: PEOPLE * EACH }, (_, at) => {
      const n = at % PEOPLE
      return eventOf(bucket, batchRowId(bucket, n), click(at, linkOf(n, Math.floor(at / PEOPLE))))
    })
    await store(shuffled([...bodies, ...bodies.slice(0, 200)]))
    await Promise.all([150, 170, 200].map(apply))
    const others = PEOPLE * EACH - MOST_LINKS
    const counted = { links: MOST_LINKS, own: MOST_LINKS, others, otherRecipients: others }
    expect(await read(batchId)).toEqual(counted)
    expect(await corrected()).toBe(0)

    // Links once more, by the next mail: each in its place.
    const own = new Set(await ownLinks(batchId))
    const again = shuffled(bodies.map((_, at) => at))
      .slice(0, AGAIN)
      .map((at) => ({
        at,
        next: batchRowId(bucket, (at + 1) % PEOPLE),
        link: linkOf(at % PEOPLE, Math.floor(at / PEOPLE)),
      }))
    await store(again.map(({ at, next, link }) => eventOf(bucket, next, click(at, link))))
    await Promise.all([15, 17, 20].map(apply))
    const ownAgain = again.filter(({ link }) => own.has(link)).length
    const othersAgain = others + AGAIN - ownAgain
    expect(await read(batchId)).toEqual({
      links: MOST_LINKS,
      own: MOST_LINKS + ownAgain,
      others: othersAgain,
      otherRecipients: othersAgain,
    })
    expect(await corrected()).toBe(0)

    const { data } = (await api.alice.get(`/v1/batch/${batchId}/clicks?limit=1`)).body
    expect(data).toMatchObject([{ url: null, clicks: othersAgain, recipients: othersAgain }])
    const { links, otherLinks } = await reportOf(batchId)
    expect(links.map(({ url }: { url: string | null }) => url)).not.toContain(null)
    const shown = links.reduce((sum: number, { clicks }: { clicks: number }) => sum + clicks, 0)
    expect(otherLinks).toEqual({
      links: MOST_LINKS - links.length,
      clicks: PEOPLE * EACH + AGAIN - shown,
    })

    // What an erased person clicked goes, and no link that came later gets a row for it.
    await sql`delete from delivery_events where bucket = ${bucket} and kind = 'click'`
    expect(await read(batchId)).toMatchObject({ links: 0, others: 0, otherRecipients: 0 })
    await linkClicks.mergeParts(sql)
    await store([eventOf(bucket, batchRowId(bucket, 0), click(1, linkOf(0, 0)))])
    await apply()
    expect(await read(batchId)).toMatchObject({ links: 0, others: 1, otherRecipients: 1 })
    expect(await corrected()).toBe(0)
  })

  const waitsForLock = () =>
    expect
      .poll(
        () => api.sql`
          select from pg_locks
          where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
        { timeout: 120_000 },
      )
      .toHaveLength(1)

  test('two that meet the last one at once do not both give it a row; a recount gives rows to as many as it may, and once', async () => {
    const { bucket, batchId } = await sendBatch(4)
    const { organizationId } = api.alice
    await store(
      Array.from({ length: MOST_LINKS - 1 }, (_, at) =>
        eventOf(bucket, batchRowId(bucket, at % 2), click(at, linkOf(0, at))),
      ),
    )
    await apply()
    const insert = (on: Executor, seq: number, link: string) => on`
      insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at,
        data)
      values (${organizationId}, ${bucket}, ${batchRowId(bucket, seq)}, 'click',
        decode(md5(${link}), 'hex'), now(), ${sql.json({ link })})`
    let second: Promise<unknown> | undefined
    await transact(sql, async (tx) => {
      await insert(tx, 0, linkOf(1, 0))
      let isDone = false
      second = insert(sql, 1, linkOf(1, 1)).then(() => void (isDone = true))
      await waitsForLock()
      expect(isDone).toBe(false)
    })
    await second
    const places = { links: MOST_LINKS, own: MOST_LINKS, others: 1, otherRecipients: 1 }
    expect(await read(batchId)).toEqual(places)
    // From now on nobody waits: no link gets a row any more.
    await transact(sql, async (tx) => {
      await insert(tx, 0, linkOf(1, 2))
      await insert(sql, 1, linkOf(1, 3))
    })
    expect(await read(batchId)).toEqual({ ...places, others: 3, otherRecipients: 3 })
    expect(await corrected()).toBe(0)

    await sql`delete from link_clicks where batch_id = ${batchId}`
    expect(await corrected()).toBe(MOST_LINKS + 1)
    expect(await read(batchId)).toMatchObject({ links: MOST_LINKS, own: MOST_LINKS, others: 3 })
    expect(await corrected()).toBe(0)
  })
})

test('rows that erasures leave are merged by the janitor', async () => {
  const sent = await sendBatch(3)
  await sql`
    insert into batch_figures
    select organization_id, key, part + 1000000, batch_id, dimension, value, -sent, -delivered,
      -opened, -human_opened, -clicked, -unsubscribed, -bounced, -suppressed, -complained
    from batch_figures
    where batch_id = ${sent.batchId} and value like 'ada-%'`
  const janitor = startJanitor({ sql, log: api.app.log })
  const left = () => sql`
    select from batch_figures where batch_id = ${sent.batchId} and value like 'ada-%'`
  await expect.poll(left, { timeout: 120_000 }).toHaveLength(0)
  await janitor.stop()
})
