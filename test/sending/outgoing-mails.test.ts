import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRoles } from '../../activities/aws/roles.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import type { Mailer } from '../../activities/mailer.ts'
import { invite } from '../../src/core/accounts/invite.ts'
import { startBatch } from '../../src/core/sending/create-batch.ts'
import { SHORT_TIMINGS } from '../../src/domain/sending/timings.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import { compileContent } from '../../src/mail/content.ts'
import * as notices from '../../src/store/accounts/notices.ts'
import * as contents from '../../src/store/content/contents.ts'
import * as templates from '../../src/store/content/templates.ts'
import { transact } from '../../src/store/db/sql.ts'
import { addressHash, type LinkKind, readLink } from '../../src/tokens.ts'
import { OPERATOR_ACCOUNT } from '../../tools/sandbox/credentials.ts'
import type { MailView } from '../../tools/sandbox/mails.ts'
import { seedConfirmations } from '../support/confirmations.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { seedExecutions, seedFlow, type StepSketch } from '../support/flows.ts'
import { type HealthFixture, startHealthFixture } from '../support/health.ts'
import { seedTopic } from '../support/seed.ts'

let fixture: HealthFixture
let engine: Engine
let mailer: Mailer
let account: Awaited<ReturnType<HealthFixture['connect']>>
/** Ids by what they are called in the snapshot. */
const names: Record<Uuid, string> = {}

beforeAll(async () => {
  fixture = await startHealthFixture()
  account = await fixture.connect({ identities: [{ identity: 'example.com', verified: true }] })
  names[account.organizationId] = 'organization'
  for (const { id } of account.owners) names[id] = 'owner'
  mailer = createMailer({ roles: createRoles(), callMs: SHORT_TIMINGS.callMs })
  // The engine sends no notices: they are mailed before it starts, and it is not asked to.
  await tell('event_quota')
  await tell('invitation')
  await fixture.sql`delete from outbox where kind = 'send_notice'`
  const { keyring } = fixture.links
  engine = await startEngine({ databaseUrl: fixture.databaseUrl, mailer, keyring })
})
afterAll(async () => {
  await engine.stop()
  await mailer.close()
  await fixture.close()
})

async function contact(name: string): Promise<Uuid> {
  const id = uuidv7()
  await fixture.sql`insert into contacts ${fixture.sql({
    organizationId: account.organizationId,
    id,
    email: `${name}@example.com`,
    emailStatus: 'active',
    firstName: 'Ada',
    properties: { plan: 'gold' },
  })}`
  names[id] = name
  return id
}

async function topicOf(...contactIds: Uuid[]): Promise<Uuid> {
  const id = await seedTopic(fixture.sql, account.organizationId, contactIds)
  names[id] = 'topic'
  return id
}

async function template(
  emailType: 'marketing' | 'transactional',
  source: string,
  variables: string[] = [],
): Promise<Uuid> {
  const { organizationId } = account
  const [id, contentId] = [uuidv7(), uuidv7()]
  const declared = variables.map((name) => ({ name }))
  const said = { subject: 'Of the template', previewText: null }
  const compiled = compileContent({ ...said, html: source, variables: declared })
  await contents.create(fixture.sql, { organizationId, id: contentId, ...compiled })
  await templates.create(fixture.sql, {
    organizationId,
    id,
    name: id,
    slug: id,
    ...said,
    sourceType: 'html',
    source,
    emailType,
    variables: declared,
  })
  const version = { organizationId, templateId: id, version: 1, contentId }
  await templates.addVersion(fixture.sql, version)
  return id
}

const HTML = '<html><body><p>{{ contact.firstName }}, {{ organization.name }}</p></body></html>'

async function batch(name: string, topicId: Uuid | null, more: { fromName?: string } = {}) {
  const { organizationId, connectionId } = account
  const contactId = await contact(name)
  const [id, contentId] = [uuidv7(), uuidv7()]
  if (topicId !== null) {
    await fixture.sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status, subscribed_at)
      values (${organizationId}, ${contactId}, ${topicId}, 'subscribed', now())`
  }
  names[id] = 'batch'
  await transact(fixture.sql, async (tx) => {
    const content = { html: HTML, variableNames: ['plan', 'greeting'], previewText: null }
    const compiled = compileContent({ ...content, subject: '{{ greeting }} {{ plan }}' })
    await contents.create(tx, { organizationId, id: contentId, ...compiled })
    await startBatch(tx, {
      organizationId,
      id,
      status: 'queued',
      name: null,
      audienceType: 'contacts',
      contactIds: [contactId],
      topicId,
      segmentId: null,
      connectionId,
      contentId,
      templateId: null,
      subject: '{{ greeting }} {{ plan }}',
      previewText: null,
      fromAddress: 'news@example.com',
      fromName: more.fromName ?? null,
      replyTo: more.fromName === undefined ? null : 'answers@example.com',
      variableMappings: [
        { variableName: 'greeting', source: { type: 'static', value: 'Hello' } },
        { variableName: 'plan', source: { type: 'contact', field: 'properties.plan' } },
      ],
      scheduledFor: null,
      unknownOutcome: 'fail',
      totalRecipients: 1,
    })
  })
}

async function flow(name: string, config: object) {
  const { organizationId } = account
  const contactId = await contact(name)
  const step = { id: 'hello', type: 'send_email', config } as StepSketch
  const seeded = await seedFlow(fixture.sql, organizationId, { steps: [step] })
  const more = { data: { order: '41' }, isEnqueued: true }
  await seedExecutions(fixture.sql, seeded, [contactId], more)
}

async function confirmation(name: string, columns: object) {
  const { keyring } = fixture.links
  const there = await seedConfirmations(fixture.sql, keyring, account)
  const contactId = await contact(name)
  const topicId = await there.topic({ name: 'Cats & dogs', ...columns })
  names[topicId] = 'topic'
  await there.ask(contactId, topicId)
}

async function tell(kind: 'event_quota' | 'invitation') {
  const { organizationId, owners } = account
  const [owner] = owners
  const now = fixture.setTime(Date.now())
  const at = new Date(now).toISOString()
  await transact(fixture.sql, async (tx) => {
    if (kind === 'invitation') {
      const email = 'invited@example.com'
      const input = { email, role: 'viewer' as const, name: null, invitedBy: owner?.id ?? '', now }
      names[(await invite(tx, organizationId, input)).id] = 'invitation'
      return
    }
    const data = { percent: '100' as const, limit: 1_000, resetsAt: '2026-12-01T00:00:00.000Z' }
    await notices.put(tx, { organizationId, kind, subject: '', period: 'month', at, data })
  })
  const [row] = await fixture.sql<{ id: Uuid }[]>`
    select id from notices where organization_id = ${organizationId} and kind = ${kind}`
  const notice = { organizationId, noticeId: row?.id ?? '' }
  await until(async () => (await fixture.notices().sendNotice(notice)).waitMs === null)
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const LINK = /https?:\/\/[\w.]+\/(unsubscribe|preferences|confirm|invitations)\/([\w-]+)/g
const DAY = /\d{4}-\d\d-\d\d/g
const DAY_MS = 86_400_000

/** The link by what is in it. */
function linkOf(kind: string, token: string, recipient: string): string {
  const { keyring } = fixture.links
  const linkKind = (kind === 'invitations' ? 'invite' : kind) as LinkKind
  const link = readLink(keyring, linkKind, token, 0)
  if (!link) return `${kind} that cannot be read`
  const { addressHash: hash, expiresAt, ...ids } = link
  const isTheirs = hash.equals(addressHash(account.organizationId, recipient))
  const days = expiresAt === undefined ? [] : [Math.round((expiresAt - Date.now()) / DAY_MS)]
  const words = Object.entries(ids).map(([name, id]) => `${name}=${id}`)
  return [kind, ...words, isTheirs ? 'theirs' : 'of another', ...days].join(' ')
}

/** The mail as the provider has it, without what differs from run to run. */
function shownOf(mail: Omit<MailView, 'raw'>) {
  const { from, to, cc, bcc, replyTo, subject, headers, tags, configurationSet, html, text } = mail
  const [recipient = ''] = to
  const said = { from, to, cc, bcc, replyTo, subject, headers, tags, configurationSet, html, text }
  const whole = JSON.stringify(said, null, 2)
    .replaceAll(LINK, (_, kind: string, token: string) => `{${linkOf(kind, token, recipient)}}`)
    .replaceAll(UUID, (id) => names[id] ?? 'id')
    .replaceAll(DAY, 'day')
  return whole.replaceAll('\\n', '\n')
}

async function received(accountId: string) {
  const { mails } = await fixture.control.mails({ account: accountId })
  return Promise.all(mails.map(({ id }) => fixture.control.mail(id)))
}

it('what the provider receives of each source of mail', async () => {
  const topicId = await topicOf()
  await batch('batch', null)
  await batch('batch-topic', topicId, { fromName: 'News, Ltd' })
  const own = { subject: 'Order {{ trigger.data.order }}', html: HTML, from: 'shop@example.com' }
  await flow('flow', { ...own, fromName: 'Shöp', replyTo: 'answers@example.com' })
  const receipt = await template('transactional', '<p>Receipt: {{ contact.firstName }}</p>')
  await flow('flow-receipt', { templateId: receipt, from: 'shop@example.com' })
  const offer = await template('marketing', '<a href="{{ unsubscribeUrl }}">{{ coupon }}</a>', [
    'coupon',
  ])
  const offered = { templateId: offer, from: 'shop@example.com', subject: 'Your {{ coupon }}' }
  await flow('flow-template', { ...offered, variables: { coupon: '<A1>' } })
  await confirmation('confirmation', { fromName: 'Pets' })
  const asking = '<p>{{ contact.firstName }}: <a href="{{ confirmUrl }}">{{ topic.name }}</a></p>'
  const templateId = await template('transactional', asking, ['confirmUrl', 'topic'])
  await confirmation('confirmation-template', { templateId })

  const COUNT = 7
  const customer = await until(async () => {
    const mails = await received(account.accountId)
    return mails.length >= COUNT && mails
  })
  const mails = [...customer, ...(await received(OPERATOR_ACCOUNT))]
  const shown = mails.map((mail) => shownOf(mail)).toSorted()
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot('outgoing-mails.txt')
})
