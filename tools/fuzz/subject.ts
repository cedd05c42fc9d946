import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { questionAbout } from '../../src/core/accounts/live-readings.ts'
import type { Config } from '../../src/config.ts'
import { operator } from '../../src/core/access/audit.ts'
import { inviteByLink } from '../../src/core/access/invitations.ts'
import { setMember } from '../../src/core/access/members.ts'
import { createUser } from '../../src/core/access/users.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import { transact } from '../../src/store/db/sql.ts'
import { runMainJob } from '../../src/main/dev/main-job.ts'
import { startSystem, type System } from '../../src/main/dev/system.ts'
import { addressHash, parseKeyring, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import { makeFlows } from './flows.ts'

/** Nothing listens there, so queries for made-up domains stay on the machine. */
const NO_NAME_SERVER = '127.0.0.1:9'
const CONTACTS = 40
const RATE = 1_000
const DAY_MS = 86_400_000
const REGION = 'eu-west-1'
/** The example of the document. */
const KNOWN_DOMAIN = 'example.com'
/** Disconnected accounts. With several connected accounts every batch would have to name one. */
const SPARE_ACCOUNTS = ['777788889992', '777788889993']

/** A running API whose organization has resources of every kind. */
export interface Subject {
  system: System
  apiKey: string
  /** Session of an owner, for operations for people only. */
  session: string
  webhookSecret: string
  connectionId: string
  /** Parameter values that find existing resources, by operation and parameter. */
  known: Record<string, Record<string, string[]>>
}

/**
 * Starts the compiled system, sends a batch, runs flows, and stops the worker: what the attack
 * creates is only written, so that the figures are those of the API.
 */
export async function startSubject(
  config: Config,
  folder: string,
  say: (line: string) => void,
): Promise<Subject> {
  const system = await startSystem({ ...config, dnsServers: [NO_NAME_SERVER] }, folder, say)
  try {
    return await fill(system, folder, say)
  } catch (error) {
    await system.stop()
    throw error
  }
}

async function fill(system: System, folder: string, say: (line: string) => void): Promise<Subject> {
  const { apiKey, organizationId, batch } = await runMainJob(system, {
    contacts: CONTACTS,
    rate: RATE,
    say,
  })
  await system.sql`update organizations set plan = 'enterprise' where id = ${organizationId}`
  // A quiet machine puts more questions in a minute than any plan allows, unknown routes included.
  await system.sql`
    insert into plan_overrides (organization_id, requests_per_minute, requests_per_day)
    values (${organizationId}, 1000000, 10000000)`
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${system.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const { contacts: people } = await call<{ contacts: { id: string; email: string }[] }>(
    'GET',
    '/v1/contacts?pageSize=10',
  )
  // Those that the attack deletes can be told no events of.
  const contacts = people.slice(0, 5)
  const flows = await makeFlows(call, people.slice(5))
  await system.worker.stop()
  interface Registered {
    connectionId: string
    webhookSecret: string
  }
  const register = (accountId: string) =>
    call<Registered>('POST', '/v1/connections', { accountId, region: REGION })
  const spare = await Promise.all(SPARE_ACCOUNTS.map(register))
  for (const { connectionId } of spare) await call('DELETE', `/v1/connections/${connectionId}`)
  const { connections } = await call<{ connections: { id: string; accountId: string }[] }>(
    'GET',
    '/v1/connections',
  )
  const sender = connections.find(({ accountId }) => !SPARE_ACCOUNTS.includes(accountId))
  if (sender === undefined) throw new Error('no account is connected')
  // Another secret for the same account; a customer whose secret is lost does the same.
  const { webhookSecret } = await register(sender.accountId)
  await call('POST', '/v1/contacts', { email: 'x@example.com', externalId: 'customer-1' })
  const erasable = await Promise.all(
    ['y@example.com', 'z@example.com'].map((email) =>
      call<{ id: string }>('POST', '/v1/contacts', { email }),
    ),
  )
  const erasures = await Promise.all(
    erasable.slice(0, 1).map(({ id }) => call<{ id: string }>('POST', `/v1/contacts/${id}/erase`)),
  )
  const scheduled = await Promise.all(
    ['2099-01-01T00:00:00Z', '2099-01-02T00:00:00Z'].map((scheduledFor) =>
      call<{ id: string }>('POST', '/v1/batch', {
        audienceType: 'all',
        from: 'news@letterloom.example',
        subject: 'News',
        htmlContent: '<p>News</p>',
        scheduledFor,
      }),
    ),
  )
  const { data: templates } = await call<{ data: { id: string; slug: string }[] }>(
    'GET',
    '/v1/templates',
  )
  const topics = await Promise.all(
    ['News', 'Offers'].map((name) =>
      call<{ id: string; slug: string }>('POST', '/v1/topics', { name }),
    ),
  )
  const imported = await fetch(`${system.apiUrl}/v1/contacts/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
    body: 'email,firstName\nimported@example.com,Ina\nnobody,Nobody\n',
  })
  const { id: importId } = (await imported.json()) as { id: string }
  const { logs } = await call<{ logs: { id: string; messageId: string }[] }>(
    'GET',
    '/v1/email/logs?limit=5',
  )
  await answerForGood(system, { organizationId, connectionId: sender.id })
  const session = await signIn(system, organizationId)
  const keyring = parseKeyring((await readFile(join(folder, 'keys'), 'utf8')).trim())
  const tokens = contacts.map(({ id, email }) =>
    signUnsubscribe(keyring, {
      organizationId,
      contactId: id,
      addressHash: addressHash(organizationId, email),
      batchId: batch.id,
    }),
  )
  const confirmations = contacts.map(({ id, email }) =>
    signLink(keyring, 'confirm', {
      organizationId,
      contactId: id,
      topicId: topics[0]?.id ?? '',
      generation: 1,
      addressHash: addressHash(organizationId, email),
    }),
  )
  const preferences = contacts.map(({ id, email }) =>
    signLink(keyring, 'preferences', {
      organizationId,
      contactId: id,
      addressHash: addressHash(organizationId, email),
      expiresAt: Date.now() + DAY_MS,
    }),
  )
  const invited = await Promise.all(
    ['kim@example.com', 'lee@example.com', 'max@example.com'].map(async (email) => {
      const invitation = await transact(system.sql, (tx) =>
        inviteByLink(tx, organizationId, { email, role: 'viewer' }, operator()),
      )
      const link = invitationUrl(keyring, system.apiUrl, { ...invitation, organizationId })
      return { invitation: invitation.id, link }
    }),
  )
  const invitationIds = invited.map(({ invitation }) => invitation)
  const invitationTokens = invited.map(({ link }) => link.replace(/^.*\//, ''))
  const suppressed = ['gone-1@example.com', 'gone-2@example.com']
  for (const email of suppressed) await call('POST', '/v1/suppressions', { email })
  const contactNames = [...contacts.flatMap(({ id, email }) => [id, email]), 'customer-1']
  return {
    system,
    apiKey,
    session,
    webhookSecret,
    connectionId: sender.id,
    known: {
      ...flows,
      exportContact: { 'path.id': contacts.flatMap(({ id, email }) => [id, email]) },
      eraseContact: { 'path.id': erasable.map(({ id }) => id) },
      getErasure: { 'path.id': erasures.map(({ id }) => id) },
      getContact: { 'path.id': contactNames },
      patchContact: { 'path.id': contactNames },
      replaceContact: { 'path.id': contactNames },
      replaceContactTopics: { 'path.id': contactNames },
      deleteContact: { 'path.id': contactNames },
      listContactEvents: { 'path.id': contactNames },
      getImport: { 'path.id': [importId] },
      getImportErrors: { 'path.id': [importId] },
      cancelImport: { 'path.id': [importId] },
      getBatch: { 'path.id': [batch.id, ...scheduled.map(({ id }) => id)] },
      listBatchRecipients: { 'path.id': [batch.id] },
      cancelBatch: { 'path.id': [...scheduled.map(({ id }) => id), batch.id] },
      resumeBatch: { 'path.id': scheduled.map(({ id }) => id) },
      discardBatch: { 'path.id': scheduled.map(({ id }) => id) },
      createBatch: {
        'body.from': [`news@${KNOWN_DOMAIN}`],
        'body.cloudAccountId': [sender.id],
        'body.templateId': templates.map(({ id }) => id),
        'body.contactIds[*]': contacts.map(({ id }) => id),
      },
      changeConnection: { 'path.id': [sender.id] },
      getConnectionSetup: { 'path.id': [sender.id] },
      verifyConnection: { 'path.id': [sender.id] },
      disconnectConnection: { 'path.id': spare.map(({ connectionId }) => connectionId) },
      getTemplate: { 'path.id': templates.flatMap(({ id, slug }) => [id, slug]) },
      getTopic: { 'path.id': topics.flatMap(({ id, slug }) => [id, slug]) },
      updateTopic: {
        'path.id': topics.map(({ id }) => id),
        'body.cloudAccountId': [sender.id],
        'body.templateId': templates.map(({ id }) => id),
      },
      createTopic: { 'body.cloudAccountId': [sender.id] },
      deleteTopic: { 'path.id': topics.slice(1).map(({ id }) => id) },
      getEmailLog: { 'path.messageId': logs.flatMap(({ id, messageId }) => [id, messageId]) },
      listEmailLogs: { 'query.batchId': [batch.id] },
      showUnsubscribe: { 'path.token': tokens },
      unsubscribe: { 'path.token': tokens },
      showConfirmation: { 'path.token': confirmations },
      confirmSubscription: { 'path.token': confirmations },
      showPreferences: { 'path.token': preferences },
      savePreferences: { 'path.token': preferences },
      getInvitation: { 'path.id': invitationIds },
      resendInvitation: { 'path.id': invitationIds.slice(1) },
      revokeInvitation: { 'path.id': invitationIds.slice(2) },
      showInvitation: { 'path.token': invitationTokens },
      acceptInvitation: { 'path.token': invitationTokens },
      removeSuppression: { 'path.email': suppressed },
      listSuppressions: { 'query.email': suppressed },
      listDomains: { 'query.cloudAccountId': [sender.id] },
      getDomain: { 'path.identity': [KNOWN_DOMAIN], 'query.cloudAccountId': [sender.id] },
      recheckConsolePolicy: { 'path.cloudAccountId': [sender.id] },
      receiveSesEvent: {
        'path.accountNumber': [sender.accountId],
        'body.account': [sender.accountId],
        'body.region': [REGION],
      },
    },
  }
}

/** Stores the account's answers with a late expiry, since nobody is there to ask it. */
async function answerForGood(
  { sql }: System,
  { organizationId, connectionId }: { organizationId: string; connectionId: string },
): Promise<void> {
  await sql`
    update connections
    set check_begun_at = now(), checked_at = now() + interval '1 day'
    where organization_id = ${organizationId} and id = ${connectionId} and checks is not null`
  const listed = {
    identity: KNOWN_DOMAIN,
    identityType: 'DOMAIN',
    sendingEnabled: true,
    verificationStatus: 'SUCCESS',
  }
  const described = {
    ...listed,
    verifiedForSending: true,
    dkim: null,
    mailFromDomain: null,
    feedbackForwarding: true,
    configurationSet: null,
    dnsRecords: [],
  }
  const questions = [
    { what: questionAbout(), body: [listed] },
    { what: questionAbout(KNOWN_DOMAIN), body: described },
  ]
  for (const { what, body } of questions) {
    const version = randomUUID()
    await sql`
      insert into provider_readings (organization_id, connection_id, what, outcome, answered_at,
        version, read_at)
      values (${organizationId}, ${connectionId}, ${what}, 'read', now() + interval '1 year',
        ${version}, now() + interval '1 year')
      on conflict (organization_id, connection_id, what) do update
      set outcome = excluded.outcome, answered_at = excluded.answered_at,
        version = excluded.version, read_at = excluded.read_at`
    await sql`
      insert into provider_reading_pages (organization_id, connection_id, what, version, page, body)
      values (${organizationId}, ${connectionId}, ${what}, ${version}, 0, ${sql.json(body)})`
  }
  await sql`
    insert into console_policies (organization_id, connection_id, version, checked_at, probed_at)
    values (${organizationId}, ${connectionId}, 1, now(), now() + interval '1 year')
    on conflict (organization_id, connection_id) do update
    set checked_at = excluded.checked_at, probed_at = excluded.probed_at`
}

async function signIn({ sql, apiUrl }: System, organizationId: string): Promise<string> {
  const email = 'fuzz@example.com'
  const password = randomBytes(24).toString('base64')
  const { id: userId } = await createUser(sql, { email, name: 'Fuzz', password })
  await transact(sql, (tx) => setMember(tx, organizationId, { userId, role: 'owner' }, operator()))
  const response = await fetch(`${apiUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`the login was answered ${response.status}`)
  const { token } = (await response.json()) as { token: string }
  return token
}
