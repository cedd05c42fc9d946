import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, allMailed, connectSender, importPeople } from '../support/cohorts.ts'
import { tokenOf } from '../support/confirmations.ts'
import { dumpRows, speakingOf } from '../support/dump.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

/** Mails of the person who is erased. */
const MAILS = sized(12_000, 50_000)
const ERASURE_KILLS = sized(1, 3)
const PATIENCE_MS = 180_000
const LONGEST_MS = 400_000

/** People who come and go: subscribe, are imported, are erased. */
let system: Awaited<ReturnType<typeof startTestSystem>>
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

it(
  'who subscribes gets a mail whose link, opened, does nothing, and whose button subscribes',
  async () => {
    const sender = await connectSender(system, 100)
    const sandbox = sandboxControl(system.sandboxUrl)
    const { pendingTopics } = await sender.client.post('/v1/contacts', {
      body: { email: 'ada@example.com', topicIds: [sender.topicId] },
    })
    expect(pendingTopics).toEqual([sender.topicId])
    const [mail] = await until(async () => {
      const mails = await acceptedBy(system, sender)
      return mails.length > 0 && mails
    }, PATIENCE_MS)
    expect(mail).toMatchObject({ recipient: 'ada@example.com', subject: 'Please confirm: Cats' })
    const { html, text, headers } = await sandbox.mail(mail!.id)
    const link = `${system.apiUrl}/confirm/${tokenOf(text ?? '')}`
    expect(html).toContain(`href="${link}"`)
    expect(headers.map(({ name }) => name.toLowerCase())).not.toContain('list-unsubscribe')

    const topic = async () =>
      sender.client.get('/v1/topics/{id}', { params: { path: { id: sender.topicId } } })
    const browser = { accept: 'text/html' }
    for (let times = 0; times < 3; times++) {
      const page = await fetch(link, { headers: browser })
      expect([page.status, (await page.text()).includes('<form method="post"')]).toEqual([
        200,
        true,
      ])
    }
    expect(await topic()).toMatchObject({ subscribedCount: 0, pendingCount: 1 })
    for (let times = 0; times < 2; times++) {
      const answer = await fetch(link, { method: 'POST' })
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { success: true, message: 'You are subscribed' },
      ])
    }
    expect(await topic()).toMatchObject({ subscribedCount: 1, pendingCount: 0 })
  },
  LONGEST_MS,
)

it(
  'an import mails each once, at the account’s rate, through kills',
  async () => {
    const people = sized(120, 2_000)
    const rate = sized(15, 250)
    const sender = await connectSender(system, rate)
    await importPeople(system, sender, people)
    const mailed = allMailed(system, sender, people)
    for (let kills = 0; kills < sized(1, 2); kills++) {
      await sleep(700)
      await killAndWait(system.worker)
    }
    const { sentMs, ...figures } = await mailed
    expect(figures).toMatchObject({
      mails: people,
      people,
      sent: people,
      pending: people,
      mailed: people,
      accepted: people,
      unique: people,
      duplicates: 0,
    })
    // No faster than the limiter lets it: a second's burst and what was sent before we looked.
    expect(sentMs).toBeGreaterThan((people / rate - 4) * 1_000)
  },
  LONGEST_MS,
)

it(
  'killed on the way an erasure ends, and each mail is emptied once',
  async () => {
    const { organizationId, key } = await createOrganization(system.sql, {
      name: 'Alice Ltd',
      ownerEmail: 'alice@example.com',
      ownerName: 'Alice',
      plan: 'enterprise',
    })
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${system.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    const email = 'zephyrine@erased.example'
    const contact = await call('POST', '/v1/contacts', { email, firstName: 'Zephyrine' })
    const contactId = String(contact['id'])
    const bucket = dayBucket(uuidv7())
    await system.sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, contact_id,
      recipient, subject, state, status)
    select ${organizationId}, ${bucket}, gen_random_uuid(), gen_random_uuid(), 'transactional',
      gen_random_uuid(), ${contactId}, ${email}, 'Dear Zephyrine', 'sent', 'sent'
    from generate_series(1, ${MAILS}::int)`
    const left = async () => {
      const [row] = await system.sql<{ left: number }[]>`
      select count(*) as left from messages where contact_id = ${contactId}`
      return row?.left ?? 0
    }

    const startedAt = performance.now()
    const erasure = await call('POST', `/v1/contacts/${contactId}/erase`)
    let seen = MAILS
    for (let kill = 0; kill < ERASURE_KILLS; kill++) {
      // Without a pause: on a busy machine it would be over at the next look.
      let now = seen
      while (now === seen) now = await left()
      seen = now
      await killAndWait(system.worker)
      // Something was left to be done by the next one.
      expect(await left()).toBeGreaterThan(0)
    }
    const status = async () => call('GET', `/v1/erasures/${String(erasure['id'])}`)
    await until(async () => (await status())['status'] === 'completed', PATIENCE_MS)
    const seconds = (performance.now() - startedAt) / 1_000
    process.stdout.write(
      `${MAILS} mails erased in ${seconds.toFixed(1)} s, ${ERASURE_KILLS} kills\n`,
    )
    expect(await left()).toBe(0)
    expect((await status())['mails']).toBe(MAILS)
    expect(speakingOf(await dumpRows(system.admin), ['zephyrine'])).toEqual([])
  },
  LONGEST_MS,
)
