import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRoles } from '../../activities/aws/roles.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import type { Mailer } from '../../activities/mailer.ts'
import { inviteByMail } from '../../src/core/access/invitations.ts'
import { acceptMails } from '../../src/core/mails/accept-mails.ts'
import { startBatch } from '../../src/core/batches/create-batch.ts'
import { type PreparedMail, prepareMails } from '../../src/core/mails/prepare-mails.ts'
import { prepareTest, sendTest } from '../../src/core/mails/test-template.ts'
import { AppError } from '../../src/domain/errors.ts'
import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { compileContent } from '../../src/mail/content.ts'
import { createContents } from '../../src/mail/content-checks.ts'
import { createRenderer } from '../../src/mail/renderer.ts'
import type { EmailInput } from '../../src/schemas/mails/email.ts'
import * as notices from '../../src/store/accounts/notices.ts'
import * as contents from '../../src/store/content/contents.ts'
import { transact } from '../../src/store/db/sql.ts'
import { addressHash, type LinkKind, readLink } from '../../src/keys/tokens.ts'
import { OPERATOR_ACCOUNT } from '../../tools/sandbox/credentials.ts'
import type { MailView } from '../../tools/sandbox/mails.ts'
import { sourceOf } from '../../tools/sandbox/mime.ts'
import { seedConfirmations } from '../support/confirmations.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { seedExecutions, seedFlow, type StepSketch } from '../support/flows.ts'
import { type HealthFixture, startHealthFixture } from '../support/health.ts'
import { seedTopic } from '../support/seed.ts'
import { publishedTemplate } from '../support/published-template.ts'

let fixture: HealthFixture
let engine: Engine
let mailer: Mailer
const renderer = createRenderer()
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
  await renderer.close()
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

const template = (
  emailType: 'marketing' | 'transactional',
  source: string,
  variables: string[] = [],
): Promise<Uuid> =>
  publishedTemplate(fixture.sql, account.organizationId, {
    subject: 'Of the template',
    source,
    emailType,
    variables: variables.map((name) => ({ name })),
  })

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
      excludedTopicIds: [],
      excludedSegmentIds: [],
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
      timezone: null,
      abTest: null,
      throttlePerSecond: null,
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
  names[seeded.flowId] = 'flow'
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
      const identity = { kind: 'user', id: owner?.id ?? '' } as const
      const invited = { email, role: 'viewer' } as const
      const mailing = { sendsNotices: true }
      const { id } = await inviteByMail(tx, organizationId, invited, { identity, now }, mailing)
      names[id] = 'invitation'
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

const making = () => ({ ...fixture.links, renderer, now: Date.now() })

async function single(name: string, more: Partial<EmailInput>) {
  const { organizationId } = account
  const { keyring } = fixture.links
  await contact(name)
  const input: EmailInput = { to: `${name}@example.com`, from: 'shop@example.com', ...more }
  const made = await prepareMails(fixture.sql, organizationId, [input], making())
  const mails = made.filter((mail): mail is PreparedMail => !(mail instanceof AppError))
  const writing = { keyring, now: Date.now() }
  await transact(fixture.sql, (tx) => acceptMails(tx, organizationId, mails, writing))
}

async function testOf(name: string, templateId: Uuid, sample: object) {
  const { organizationId } = account
  const { keyring } = fixture.links
  const body = { to: [`${name}@example.com`], from: 'News <news@example.com>', ...sample }
  const deps = {
    ...making(),
    contents: createContents(renderer, organizationId),
    maySeeContacts: true,
  }
  const mails = await prepareTest(fixture.sql, organizationId, templateId, body, deps)
  const writing = { keyring, now: Date.now() }
  await transact(fixture.sql, (tx) => sendTest(tx, organizationId, mails, writing))
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const LINK = /https?:\/\/[\w.]+\/(unsubscribe|preferences|confirm|invitations)\/([\w-]+)/g
const DAY = /\d{4}-\d\d-\d\d/g
const DATE = /\w{3}, \d\d \w{3} \d{4} [\d:]+ \+0000/g
const BOUNDARY = /--_NmP-[0-9a-f]+-Part_\d+/g
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
    .replaceAll(DATE, 'date')
    .replaceAll(BOUNDARY, 'boundary')
  return whole.replaceAll('\\n', '\n')
}

/** A message that we make ourselves, byte for byte, without what differs from run to run. */
const bytesOf = (raw: string): string =>
  Buffer.from(raw, 'base64')
    .toString('latin1')
    .replaceAll(UUID, 'id')
    .replaceAll(DATE, 'date')
    .replaceAll(BOUNDARY, 'boundary')
    .replaceAll('\r', '\\r')

async function received(accountId: string) {
  const { mails } = await fixture.control.mails({ account: accountId })
  return Promise.all(mails.map(({ id }) => fixture.control.mail(id)))
}

it('the provider receives the recorded request of each source of mail', async () => {
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

  const invoice = {
    filename: 'Rechnung – 发票.pdf',
    content: Buffer.from('%PDF').toString('base64'),
  }
  const thanks = { subject: 'Quittung für 5 € – спасибо', html: '<p>Thank you</p>' }
  await single('single', thanks)
  await single('single-attached', { ...thanks, attachments: [invoice] })
  await testOf('test', offer, { contact: { firstName: 'Zoë' }, variables: { coupon: 'Ä1' } })

  const COUNT = 10
  const customer = await until(async () => {
    // A slow machine asks the simulator whether events arrive: that is nobody's mail.
    const mails = (await received(account.accountId)).filter(({ to }) => !to.includes(SIMULATOR))
    return mails.length >= COUNT && mails
  })
  const mails = [...customer, ...(await received(OPERATOR_ACCOUNT))]
  const shown = mails.map((mail) => shownOf(mail)).toSorted()
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot('outgoing-mails.txt')
  const raw = customer.flatMap((mail) => (mail.raw === null ? [] : [bytesOf(mail.raw)]))
  await expect(raw.join('\n\n')).toMatchFileSnapshot('raw-mails.txt')
  for (const mail of customer) {
    const [to = ''] = mail.to
    expect([to, await problemsOf(mail)]).toEqual([to, []])
  }
})

/** Whose recipients can unsubscribe: everything else is asked for, or is no mail to a contact. */
const MARKETING = ['batch', 'batch-topic', 'flow', 'flow-template'].map((n) => `${n}@example.com`)
/** RFC 5322, 2.1.1: octets of a line. */
const LONGEST_LINE = 998
const ONCE = ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type']

/**
 * Returns the problems of a message on the wire, by RFC 5322, 2047 and 8058 and the rules of Gmail
 * and Yahoo for bulk senders. SES builds messages from their parts, and so does the sandbox. We
 * build those with attachments.
 */
async function problemsOf(mail: Awaited<ReturnType<typeof received>>[number]): Promise<string[]> {
  const raw = mail.raw === null ? null : Buffer.from(mail.raw, 'base64')
  const source = await sourceOf({ ...mail, raw })
  const problems: string[] = []
  const demand = (isSo: boolean, problem: string): void => {
    if (!isSo) problems.push(problem)
  }
  const end = source.indexOf('\r\n\r\n')
  const head = source.slice(0, end)
  demand(end > 0, 'no end of the header')
  demand(!/(?<!\r)\n|\r(?!\n)/.test(source), 'a line that does not end in CRLF')
  for (const line of source.split('\r\n')) {
    demand(Buffer.byteLength(line) <= LONGEST_LINE, `a long line: ${line.slice(0, 40)}`)
  }
  demand(/^[\x20-\x7e\r\n\t]*$/.test(head), 'a header that is not ASCII')

  const parsed = await PostalMime.parse(source)
  const valuesOf = (name: string) =>
    parsed.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value)
  for (const name of ONCE) demand(valuesOf(name).length === 1, `${name} is not there once`)
  demand(valuesOf('MIME-Version')[0] === '1.0', 'MIME-Version')
  demand(/^<[^\s<>@]+@[^\s<>@]+>$/.test(valuesOf('Message-ID')[0] ?? ''), 'Message-ID')
  demand(!Number.isNaN(Date.parse(valuesOf('Date')[0] ?? '')), 'Date')
  // DKIM of the identity aligns with what recipients see.
  demand(parsed.from?.address?.endsWith('@example.com') === true, 'From of another domain')
  demand(parsed.to?.length === 1, 'more than one recipient')
  demand(parsed.subject === mail.subject, `the subject is ${parsed.subject}`)
  demand(parsed.html?.trim() === mail.html?.trim(), 'the HTML part is another')
  demand(parsed.text?.trim() === mail.text?.trim(), 'the text part is another')
  // RFC 2046, 5.1.4: the best part comes last.
  const [text, html] = ['text/plain', 'text/html'].map((type) => source.indexOf(type))
  demand((text ?? -1) > 0 && (text ?? 0) < (html ?? 0), 'the text part is not first')

  const isMarketing = MARKETING.includes(mail.to[0] ?? '')
  const lists = valuesOf('List-Unsubscribe')
  demand(lists.length === (isMarketing ? 1 : 0), `${lists.length} List-Unsubscribe`)
  if (isMarketing) {
    demand(/^<https:\/\/[^\s<>]+\/unsubscribe\/[\w-]+>$/.test(lists[0] ?? ''), 'List-Unsubscribe')
    demand(valuesOf('List-Unsubscribe-Post')[0] === 'List-Unsubscribe=One-Click', 'no one-click')
    const link = lists[0]?.slice(1, -1) ?? ''
    demand(parsed.html?.includes(link) === true, 'no link to unsubscribe in the HTML part')
  } else {
    demand(valuesOf('List-Unsubscribe-Post').length === 0, 'a one-click nobody needs')
  }
  return problems
}
