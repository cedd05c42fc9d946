import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import * as invitations from '../../src/store/access/invitations.ts'
import * as hookEndpoints from '../../src/store/hooks/hook-endpoints.ts'
import { transact } from '../../src/store/db/sql.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import {
  type Api,
  type Client,
  connectAccount,
  asTest,
  batchWithFailed,
  createBatch,
  createContact,
  freeze,
  insertMail,
} from './api.ts'
import { addMember, PASSWORD, type Person, sessionOf } from './people.ts'
import { smallFlow } from './flow-inputs.ts'
import { seedExecution, seedFlow } from './seed-flow.ts'

/**
 * Expected answers of every operation for each id and credential, as the contract has them. Written
 * by hand, not derived from the routes, so that a route with the wrong scope disagrees.
 */
export interface Place {
  /** Key scopes that are admitted. Empty: people only. Absent: no credentials needed. */
  scopes?: readonly string[]
  /** Kind of the id in its path. Absent: there is none. */
  id?: Kind
  /** Required query of its address. */
  query?: string
  /** Body for the organization of `client`. A text is a CSV. */
  body?: (api: Api, client: Client) => object | string | Promise<object | string>
  /** Its headers, in the organization of `client`. */
  headers?: (api: Api, client: Client) => Promise<Record<string, string>>
  /** Answered to whom it belongs. */
  own: number
  /** Status if another organization has it. */
  foreign?: number
  unknown?: number
  malformed?: number
}

const READ = ['read', 'full'] as const
const FULL = ['full'] as const
const PEOPLE = [] as const

const HOUR_MS = 3_600_000

const unique = (): string => uuidv7().slice(-12)

const condition = () => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'exists' }] }],
})

/** Creates one of each kind in the organization of `client`. Returns its id in a path. */
const MAKE = {
  apiKey: async (api: Api, client: Client): Promise<string> =>
    (await api.client(client.organizationId, ['read'])).keyId,
  member: async (api: Api, client: Client): Promise<string> =>
    (await addMember(api.sql, client.organizationId, 'viewer')).id,
  session: async (api: Api, client: Client): Promise<string> => {
    const owner = await ownerOf(api, client)
    await sessionOf(api.app, owner)
    const [row] = await api.sql<{ id: Uuid }[]>`
      select id from sessions where user_id = ${owner.id} order by id desc limit 1`
    return row?.id ?? ''
  },
  contact: async (_api: Api, client: Client): Promise<string> =>
    (await createContact(client, { email: `${unique()}@${markOf(client)}.example.com` })).id,
  erasure: async (api: Api, client: Client): Promise<string> =>
    (await client.post(`/v1/contacts/${await MAKE.contact(api, client)}/erase`)).body.id,
  import: async (api: Api, { organizationId }: Client): Promise<string> => {
    const id = uuidv7()
    await api.sql`insert into imports ${api.sql({
      organizationId,
      id,
      format: 'csv',
      onDuplicate: 'update',
      dryRun: false,
      mayLift: false,
    })}`
    return id
  },
  connection: async (_api: Api, client: Client): Promise<string> =>
    (await connectAccount(client, { accountId: accountNumber(), name: markOf(client) }))
      .connectionId,
  template: async (_api: Api, client: Client): Promise<string> => {
    const { body } = await client.post('/v1/templates', {
      name: `${markOf(client)} ${unique()}`,
      subject: 'S',
      source: `<p>${markOf(client)}</p>`,
    })
    return body.id
  },
  draft: async (_api: Api, client: Client): Promise<string> => {
    const { body } = await client.post('/v1/templates', {
      name: `${markOf(client)} ${unique()}`,
      subject: 'S',
      source: `<p>${markOf(client)}</p>`,
      status: 'DRAFT',
    })
    return body.id
  },
  batchDraft: async (_api: Api, client: Client): Promise<string> =>
    (await client.post('/v1/batch-drafts', { input: { name: markOf(client) } })).body.id,
  segment: async (_api: Api, client: Client): Promise<string> => {
    const name = `${markOf(client)} ${unique()}`
    const { body } = await client.post('/v1/segments', { name, condition: condition() })
    return body.id
  },
  topic: async (_api: Api, client: Client): Promise<string> => {
    const { body } = await client.post('/v1/topics', { name: `${markOf(client)} ${unique()}` })
    return body.id
  },
  batch: async (api: Api, client: Client): Promise<string> =>
    (
      await createBatch(client, {
        name: markOf(client),
        cloudAccountId: await MAKE.connection(api, client),
      })
    ).id,
  email: async (api: Api, client: Client): Promise<string> => {
    const { body } = await client.post('/v1/email/send', await receipt(api, client))
    return body.id
  },
  text: async (api: Api, client: Client): Promise<string> => {
    const { body } = await client.post('/v1/sms/send', await reminder(api, client))
    return body.id
  },
  scheduledBatch: async (api: Api, client: Client): Promise<string> => {
    const id = await MAKE.batch(api, client)
    await api.sql`update batches set status = 'scheduled' where id = ${id}`
    return id
  },
  testedBatch: async (api: Api, client: Client): Promise<string> =>
    asTest(api, client, await MAKE.batch(api, client)),
  failedBatch: async (api: Api, client: Client): Promise<string> => {
    const id = await MAKE.batch(api, client)
    await api.sql`update batches set status = 'failed' where id = ${id}`
    return id
  },
  failedRecipient: async (api: Api, client: Client): Promise<string> =>
    batchWithFailed(api, client, await MAKE.batch(api, client), await MAKE.contact(api, client)),
  apiFlow: (api: Api, client: Client): Promise<string> =>
    seedFlow(api.sql, client.organizationId, { name: markOf(client) }),
  disabledFlow: (api: Api, client: Client): Promise<string> =>
    seedFlow(api.sql, client.organizationId, { name: markOf(client), enabled: false }),
  execution: async (api: Api, client: Client): Promise<string> =>
    seedExecution(api.sql, client.organizationId, {
      flowId: await MAKE.apiFlow(api, client),
      contactId: await MAKE.contact(api, client),
      data: { mark: markOf(client) },
    }),
  failedExecution: async (api: Api, client: Client): Promise<string> =>
    seedExecution(api.sql, client.organizationId, {
      flowId: await MAKE.apiFlow(api, client),
      contactId: await MAKE.contact(api, client),
      status: 'failed',
    }),
  operation: async (api: Api, client: Client): Promise<string> => {
    const flowId = await MAKE.apiFlow(api, client)
    return (await client.post(`/v1/workflows/${flowId}/cancel-executions`)).body.id
  },
  log: async (api: Api, client: Client): Promise<string> => {
    const id = uuidv7()
    const bucket = `${id.slice(0, 28)}00000000`
    const batchId = await MAKE.batch(api, client)
    await freeze(api.sql, batchId, bucket, 1)
    const [row] = await api.sql<{ connectionId: Uuid }[]>`
      select connection_id from batches where id = ${batchId}`
    const mail = {
      organizationId: client.organizationId,
      bucket,
      id,
      batchId,
      connectionId: row?.connectionId ?? '',
      recipient: `${unique()}@${markOf(client)}.example.com`,
      state: 'sent',
      status: 'sent',
      messageId: `message-${unique()}`,
    }
    await insertMail(api.sql, mail)
    return mail.messageId
  },
  domain: async (api: Api, client: Client): Promise<string> => {
    await MAKE.connection(api, client)
    return `${unique()}.${markOf(client)}.example.com`
  },
  accountNumber: async (api: Api, client: Client): Promise<string> => {
    const id = await MAKE.connection(api, client)
    const [row] = await api.sql<{ accountId: string }[]>`
      select account_id from connections where id = ${id}`
    return row?.accountId ?? ''
  },
  token: async (api: Api, client: Client): Promise<string> => {
    const { organizationId } = client
    const email = `${unique()}@${markOf(client)}.example.com`
    const { id: contactId } = await createContact(client, { email })
    return signUnsubscribe(api.deps.keyring, {
      organizationId,
      contactId,
      addressHash: addressHash(organizationId, email),
    })
  },
  confirmation: async (api: Api, client: Client): Promise<string> => {
    const { organizationId } = client
    const email = `${unique()}@${markOf(client)}.example.com`
    const { id: contactId } = await createContact(client, { email })
    const topicId = await MAKE.topic(api, client)
    await api.sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status, generation)
      values (${organizationId}, ${contactId}, ${topicId}, 'pending', 1)`
    return signLink(api.deps.keyring, 'confirm', {
      organizationId,
      contactId,
      topicId,
      generation: 1,
      addressHash: addressHash(organizationId, email),
    })
  },
  preferencesToken: async (api: Api, client: Client): Promise<string> => {
    const { organizationId } = client
    const email = `${unique()}@${markOf(client)}.example.com`
    const { id: contactId } = await createContact(client, { email })
    return signLink(api.deps.keyring, 'preferences', {
      organizationId,
      contactId,
      addressHash: addressHash(organizationId, email),
      expiresAt: Date.now() + HOUR_MS,
    })
  },
  invitation: async (api: Api, client: Client): Promise<string> =>
    (await invitationOf(api, client)).id,
  invitationToken: async (api: Api, client: Client): Promise<string> => {
    const invitation = await invitationOf(api, client)
    const { organizationId } = client
    const url = invitationUrl(api.deps.keyring, '', { ...invitation, organizationId })
    return url.replace('/invitations/', '')
  },
  suppression: async (_api: Api, client: Client): Promise<string> => {
    const email = `${unique()}@${markOf(client)}.example.com`
    await client.post('/v1/suppressions', { email })
    return email
  },
  // Written past the limit of endpoints, since the matrix needs hundreds.
  hookEndpoint: async (api: Api, { organizationId }: Client): Promise<string> => {
    const id = uuidv7()
    await transact(api.sql, (tx) =>
      hookEndpoints.create(tx, {
        organizationId,
        id,
        shard: 0,
        url: `https://${markOf({ organizationId })}.example.com/hooks`,
        description: null,
        eventTypes: ['email.bounced'],
        sources: null,
        maxInFlight: 10,
        sealedSecret: Buffer.alloc(0),
      }),
    )
    return id
  },
  anyDomain: async (): Promise<string> => `${unique()}.example.com`,
}

type Kind = keyof typeof MAKE

/** Malformed ids of kinds that are not named by a UUID. */
const MALFORMED: Partial<Record<Kind, string>> = {
  template: 'no_slug_either!',
  topic: 'no_slug_either!',
  draft: 'no_slug_either!',
  apiFlow: 'no_slug_either!',
  disabledFlow: 'no_slug_either!',
  log: 'no-message',
  domain: 'no domain',
  accountNumber: 'twelve',
  token: 'not-a-token',
  confirmation: 'not-a-token',
  preferencesToken: 'not-a-token',
  invitationToken: 'not-a-token',
  suppression: 'no-address',
  anyDomain: 'no domain',
}

/** Any public domain, which belongs to nobody. */
const ANY_DOMAIN: Place = { id: 'anyDomain', own: 200, foreign: 200, unknown: 400, malformed: 400 }

/** Creates invitations as the API does, but without its limit, since the matrix needs hundreds. */
const invitationOf = (api: Api, client: Client) =>
  transact(api.sql, (tx) =>
    invitations.create(tx, {
      organizationId: client.organizationId,
      id: uuidv7(),
      email: `${unique()}@${markOf(client)}.example.com`,
      role: 'viewer',
      name: null,
      invitedBy: null,
      at: new Date().toISOString(),
      expiresAt: new Date(Date.now() + HOUR_MS).toISOString(),
    }),
  )

const owners = new Map<string, Promise<Person>>()

/** The owner of the organization of `client`. */
function ownerOf(api: Api, { organizationId }: Client): Promise<Person> {
  const owner = owners.get(organizationId) ?? addMember(api.sql, organizationId, 'owner')
  owners.set(organizationId, owner)
  return owner
}

/** A key of full scope, or a new session of the owner where keys are not admitted. */
export async function rightCredential(api: Api, client: Client, { scopes }: Place) {
  if (scopes?.length !== 0) return `Bearer ${client.key}`
  return `Bearer ${(await sessionOf(api.app, await ownerOf(api, client))).token}`
}

/** Contained in every text of an organization's resources, and in no other's. */
export const markOf = ({ organizationId }: Pick<Client, 'organizationId'>): string =>
  `mark${organizationId.slice(-12)}`

const accountNumber = (): string => String(100_000_000_000 + Math.floor(Math.random() * 8e11))

export type IdKind = 'own' | 'other' | 'unknown' | 'malformed'
export const ID_KINDS: readonly IdKind[] = ['own', 'other', 'unknown', 'malformed']

/** A new id of the kind, from Alice's view. */
export async function idOf(api: Api, kind: Kind, wanted: IdKind): Promise<string> {
  if (wanted === 'own') return MAKE[kind](api, api.alice)
  if (wanted === 'other') return MAKE[kind](api, api.charlie)
  if (wanted === 'malformed') return MALFORMED[kind] ?? 'no-uuid'
  if (kind === 'accountNumber') return accountNumber()
  return uuidv7()
}

const receipt = async (api: Api, client: Client) => ({
  to: `${unique()}@${markOf(client)}.example.com`,
  from: `shop@${markOf(client)}.example.com`,
  subject: markOf(client),
  text: 'Thanks',
  scheduledFor: new Date(Date.now() + HOUR_MS).toISOString(),
  cloudAccountId: await MAKE.connection(api, client),
})

const reminder = async (api: Api, client: Client) => {
  const cloudAccountId = await MAKE.connection(api, client)
  await api.sql`update connections set features = '{"sms": true}' where id = ${cloudAccountId}`
  return {
    to: '+12065550199',
    senderId: 'LETTERS',
    body: markOf(client),
    scheduledFor: new Date(Date.now() + HOUR_MS).toISOString(),
    cloudAccountId,
  }
}

const resendReceipt = (client: Client) => ({
  to: `${unique()}@${markOf(client)}.example.com`,
  from: `shop@${markOf(client)}.example.com`,
  subject: markOf(client),
  text: 'Thanks',
  scheduled_at: new Date(Date.now() + HOUR_MS).toISOString(),
})

/** Which of several accounts a mail is sent through. */
const accountOf = async (api: Api, client: Client) => ({
  'x-letterloom-account': await MAKE.connection(api, client),
})

const news = (client: Client) => ({
  audienceType: 'all',
  from: `news@${markOf(client)}.example.com`,
  subject: 'News',
  htmlContent: '<p>News</p>',
})

const snsMessage = {
  Type: 'Notification',
  MessageId: uuidv7(),
  TopicArn: 'arn:aws:sns:eu-central-1:123456789012:mail-events',
  Message: '{}',
  Timestamp: '2026-11-21T10:56:09.120Z',
  SignatureVersion: '2',
  Signature: 'RXhhbXBsZQ==',
  SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
}

export const PLACES: Record<string, Place> = {
  getHealth: { own: 200 },
  getApiInfo: { own: 200 },

  logIn: {
    body: async (api, client) => ({
      email: (await addMember(api.sql, client.organizationId, 'viewer')).email,
      password: PASSWORD,
    }),
    own: 200,
  },
  logOut: { scopes: PEOPLE, own: 200 },
  switchOrganization: {
    scopes: PEOPLE,
    body: (_, { organizationId }) => ({ organizationId }),
    own: 200,
  },
  changePassword: {
    scopes: PEOPLE,
    body: () => ({ currentPassword: PASSWORD, newPassword: PASSWORD }),
    own: 200,
  },
  getSession: { scopes: PEOPLE, own: 200 },
  listSessions: { scopes: PEOPLE, own: 200 },
  endOtherSessions: { scopes: PEOPLE, own: 200 },
  // Whose a session is concerns nobody but its person.
  endSession: { scopes: PEOPLE, id: 'session', own: 200, foreign: 404 },

  getOrganization: { scopes: READ, own: 200 },
  updateOrganization: { scopes: FULL, body: (_, client) => ({ name: markOf(client) }), own: 200 },
  listApiKeys: { scopes: FULL, own: 200 },
  createApiKey: { scopes: PEOPLE, body: (_, client) => ({ name: markOf(client) }), own: 201 },
  renameApiKey: {
    scopes: PEOPLE,
    id: 'apiKey',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  revokeApiKey: { scopes: PEOPLE, id: 'apiKey', own: 200 },
  listMembers: { scopes: PEOPLE, own: 200 },
  inviteMember: {
    scopes: PEOPLE,
    body: (_, client) => ({
      email: `${unique()}@${markOf(client)}.example.com`,
      role: 'viewer',
    }),
    own: 202,
  },
  listInvitations: { scopes: PEOPLE, own: 200 },
  getInvitation: { scopes: PEOPLE, id: 'invitation', own: 200 },
  revokeInvitation: { scopes: PEOPLE, id: 'invitation', own: 200 },
  resendInvitation: { scopes: PEOPLE, id: 'invitation', own: 202 },
  // A person belongs to no organization: one who is not a member here does not exist here.
  changeMember: {
    scopes: PEOPLE,
    id: 'member',
    body: () => ({ role: 'member' }),
    own: 200,
    foreign: 404,
  },
  removeMember: { scopes: PEOPLE, id: 'member', own: 200, foreign: 404 },
  listAuditEvents: { scopes: FULL, own: 200 },

  createContact: {
    scopes: ['contacts', 'full'],
    body: (_, client) => ({ email: `${unique()}@${markOf(client)}.example.com` }),
    own: 201,
  },
  listContacts: { scopes: ['read', 'contacts', 'full'], own: 200 },
  getContact: { scopes: ['read', 'contacts', 'full'], id: 'contact', own: 200 },
  patchContact: {
    scopes: ['contacts', 'full'],
    id: 'contact',
    body: (_, client) => ({ firstName: markOf(client) }),
    own: 200,
  },
  replaceContact: {
    scopes: ['contacts', 'full'],
    id: 'contact',
    body: (_, client) => ({ email: `${unique()}@${markOf(client)}.example.com` }),
    own: 200,
  },
  replaceContactTopics: {
    scopes: ['contacts', 'full'],
    id: 'contact',
    body: () => ({ topicIds: [] }),
    own: 200,
  },
  deleteContact: { scopes: ['contacts', 'full'], id: 'contact', own: 200 },
  deleteContacts: {
    scopes: ['contacts', 'full'],
    body: async (api, client) => ({ ids: [await MAKE.contact(api, client)] }),
    own: 200,
  },
  listContactEvents: { scopes: ['read', 'contacts', 'full'], id: 'contact', own: 200 },
  ingestEvent: {
    scopes: ['events', 'full'],
    body: async (api, client) => ({
      name: markOf(client),
      contactId: await MAKE.contact(api, client),
    }),
    own: 200,
  },
  ingestEvents: {
    scopes: ['events', 'full'],
    body: async (api, client) => ({
      events: [{ name: markOf(client), contactId: await MAKE.contact(api, client) }],
    }),
    own: 200,
  },
  listEventNames: { scopes: READ, own: 200 },
  upsertContacts: {
    scopes: ['contacts', 'full'],
    body: (_, client) => ({
      contacts: [{ email: `${unique()}@${markOf(client)}.example.com` }],
    }),
    own: 200,
  },
  exportContact: { scopes: ['contacts', 'full'], id: 'contact', own: 200 },
  eraseContact: { scopes: ['contacts', 'full'], id: 'contact', own: 202 },
  getErasure: { scopes: ['read', 'contacts', 'full'], id: 'erasure', own: 200 },
  importContacts: {
    scopes: ['contacts', 'full'],
    body: async (api, client) => {
      // A few may be under way at once.
      await api.sql`delete from imports where organization_id = ${client.organizationId}`
      return `email\n${unique()}@${markOf(client)}.example.com\n`
    },
    own: 202,
  },
  listImports: { scopes: ['read', 'contacts', 'full'], own: 200 },
  getImport: { scopes: ['read', 'contacts', 'full'], id: 'import', own: 200 },
  getImportErrors: { scopes: ['contacts', 'full'], id: 'import', own: 200 },
  cancelImport: { scopes: ['contacts', 'full'], id: 'import', own: 200 },
  exportContacts: { scopes: ['contacts', 'full'], own: 200 },

  listSuppressions: { scopes: ['read', 'contacts', 'full'], own: 200 },
  suppressAddress: {
    scopes: ['contacts', 'full'],
    body: (_, client) => ({ email: `${unique()}@${markOf(client)}.example.com` }),
    own: 201,
  },
  // By the address: a natural key only ever sees the caller's organization.
  removeSuppression: {
    scopes: ['contacts', 'full'],
    id: 'suppression',
    own: 200,
    foreign: 404,
    malformed: 404,
  },

  createBatch: {
    scopes: ['send', 'full'],
    body: async (api, client) => ({
      ...news(client),
      cloudAccountId: await MAKE.connection(api, client),
    }),
    own: 201,
  },
  previewBatch: {
    scopes: ['send', 'full'],
    body: async (api, client) => ({
      ...news(client),
      cloudAccountId: await MAKE.connection(api, client),
    }),
    own: 200,
  },
  listBatches: { scopes: ['read', 'send', 'full'], own: 200 },
  getBatch: { scopes: ['read', 'send', 'full'], id: 'batch', own: 200 },
  listBatchRecipients: { scopes: ['read', 'send', 'full'], id: 'batch', own: 200 },
  listBatchReasons: { scopes: ['read', 'send', 'full'], id: 'batch', own: 200 },
  cancelBatch: { scopes: ['send', 'full'], id: 'batch', own: 200 },
  pauseBatch: { scopes: ['send', 'full'], id: 'batch', own: 200 },
  chooseWinner: {
    scopes: ['send', 'full'],
    id: 'testedBatch',
    body: () => ({ variant: 'A' }),
    own: 200,
  },
  updateBatch: {
    scopes: ['send', 'full'],
    id: 'scheduledBatch',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  listBatchClicks: { scopes: ['read', 'send', 'full'], id: 'batch', own: 200 },
  getBatchReport: { scopes: ['read', 'send', 'full'], id: 'batch', own: 200 },
  retryFailedBatch: { scopes: ['send', 'full'], id: 'failedRecipient', own: 201 },
  duplicateBatch: { scopes: ['send', 'full'], id: 'batch', own: 201 },
  resumeBatch: { scopes: ['send', 'full'], id: 'failedBatch', own: 200 },
  discardBatch: { scopes: ['send', 'full'], id: 'failedBatch', own: 200 },

  sendEmail: { scopes: ['send', 'full'], body: receipt, own: 202 },
  sendEmails: {
    scopes: ['send', 'full'],
    body: async (api, client) => ({ emails: [await receipt(api, client)] }),
    own: 202,
  },
  getEmail: { scopes: ['read', 'send', 'full'], id: 'email', own: 200 },
  getEmailBody: { scopes: FULL, id: 'email', own: 200 },
  rescheduleEmail: {
    scopes: ['send', 'full'],
    id: 'email',
    body: () => ({ scheduledFor: new Date(Date.now() + HOUR_MS).toISOString() }),
    own: 200,
  },
  cancelEmail: { scopes: ['send', 'full'], id: 'email', own: 200 },
  sendText: { scopes: ['send', 'full'], body: reminder, own: 202 },
  listTextLogs: { scopes: READ, own: 200 },
  getText: { scopes: ['read', 'send', 'full'], id: 'text', own: 200 },
  getTextBody: { scopes: FULL, id: 'text', own: 200 },
  rescheduleText: {
    scopes: ['send', 'full'],
    id: 'text',
    body: () => ({ scheduledFor: new Date(Date.now() + HOUR_MS).toISOString() }),
    own: 200,
  },
  cancelText: { scopes: ['send', 'full'], id: 'text', own: 200 },
  sendResendEmail: {
    scopes: ['send', 'full'],
    headers: accountOf,
    body: (_, client) => resendReceipt(client),
    own: 200,
  },
  sendResendEmails: {
    scopes: ['send', 'full'],
    headers: accountOf,
    body: (_, client) => [resendReceipt(client)],
    own: 200,
  },
  getResendEmail: { scopes: ['read', 'send', 'full'], id: 'email', own: 200 },
  rescheduleResendEmail: {
    scopes: ['send', 'full'],
    id: 'email',
    body: () => ({ scheduled_at: new Date(Date.now() + HOUR_MS).toISOString() }),
    own: 200,
  },
  cancelResendEmail: { scopes: ['send', 'full'], id: 'email', own: 200 },

  createWorkflow: {
    scopes: FULL,
    body: (_, client) => smallFlow({ name: markOf(client) }),
    own: 201,
  },
  listWorkflows: { scopes: READ, own: 200 },
  getWorkflow: { scopes: READ, id: 'apiFlow', own: 200 },
  updateWorkflow: {
    scopes: FULL,
    id: 'apiFlow',
    body: (_, client) => ({ name: `${markOf(client)} ${unique()}` }),
    own: 200,
  },
  deleteWorkflow: { scopes: FULL, id: 'apiFlow', own: 200 },
  enableWorkflow: { scopes: FULL, id: 'disabledFlow', own: 200 },
  disableWorkflow: { scopes: FULL, id: 'apiFlow', own: 200 },
  listWorkflowSteps: { scopes: READ, id: 'apiFlow', own: 200 },
  listWorkflowVersions: { scopes: READ, id: 'apiFlow', own: 200 },
  cancelWorkflowExecutions: { scopes: FULL, id: 'apiFlow', own: 202 },
  retryWorkflowFailed: { scopes: FULL, id: 'apiFlow', own: 202 },
  listWorkflowOperations: { scopes: READ, id: 'apiFlow', own: 200 },
  getWorkflowOperation: { scopes: READ, id: 'operation', own: 200 },
  getWorkflowDiagram: { scopes: READ, id: 'apiFlow', own: 200 },
  rotateWorkflowSecret: { scopes: FULL, id: 'apiFlow', own: 200 },
  pushWorkflows: {
    scopes: FULL,
    body: (_, client) => ({
      workflows: [smallFlow({ slug: `pushed-${unique()}`, name: markOf(client) })],
    }),
    own: 200,
  },
  pullWorkflows: { scopes: READ, own: 200 },

  triggerWorkflow: {
    scopes: ['events', 'full'],
    id: 'apiFlow',
    body: async (api, client) => ({ contactId: await MAKE.contact(api, client) }),
    own: 200,
  },
  triggerWorkflowBatch: {
    scopes: ['events', 'full'],
    id: 'apiFlow',
    body: async (api, client) => ({ contacts: [{ contactId: await MAKE.contact(api, client) }] }),
    own: 200,
  },
  listWorkflowExecutions: { scopes: READ, id: 'apiFlow', own: 200 },
  listContactExecutions: { scopes: ['read', 'contacts', 'full'], id: 'contact', own: 200 },
  getExecution: { scopes: READ, id: 'execution', own: 200 },
  retryExecution: { scopes: FULL, id: 'failedExecution', own: 200 },
  cancelExecution: { scopes: FULL, id: 'execution', own: 200 },

  registerConnection: {
    scopes: FULL,
    body: (_, client) => ({
      accountId: accountNumber(),
      region: 'eu-central-1',
      name: markOf(client),
    }),
    own: 200,
  },
  listConnections: { scopes: READ, own: 200 },
  recheckConsolePolicy: { scopes: FULL, id: 'connection', own: 200 },
  getOrganizationHealth: { scopes: READ, own: 200 },
  // Here nobody learns that another organization's account exists.
  getAccountHealth: { scopes: READ, id: 'connection', own: 200, foreign: 404 },
  listDomains: { scopes: READ, own: 200 },
  // A natural key: what another organization sends as is nobody's business.
  getDomain: { scopes: READ, id: 'domain', own: 200, foreign: 404 },
  changeConnection: {
    scopes: FULL,
    id: 'connection',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  verifyConnection: { scopes: FULL, id: 'connection', own: 200 },
  getConnectionSetup: { scopes: READ, id: 'connection', query: 'format=terraform', own: 200 },
  disconnectConnection: { scopes: FULL, id: 'connection', own: 200 },

  createTemplate: {
    scopes: FULL,
    body: (_, client) => ({ name: markOf(client), subject: 'S', source: '<p>x</p>' }),
    own: 201,
  },
  listTemplates: { scopes: ['read', 'send', 'full'], own: 200 },
  getTemplate: { scopes: ['read', 'send', 'full'], id: 'template', own: 200 },
  listTemplateVersions: { scopes: ['read', 'send', 'full'], id: 'template', own: 200 },
  listTemplateClicks: { scopes: ['read', 'send', 'full'], id: 'template', own: 200 },
  updateTemplate: {
    scopes: FULL,
    id: 'template',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  publishTemplate: { scopes: FULL, id: 'draft', own: 200 },
  previewTemplate: { scopes: ['read', 'send', 'full'], id: 'template', own: 200 },
  testTemplate: {
    scopes: ['send', 'full'],
    id: 'template',
    body: async (api, client) => ({
      to: [`${unique()}@${markOf(client)}.example.com`],
      from: `news@${markOf(client)}.example.com`,
      cloudAccountId: await MAKE.connection(api, client),
    }),
    own: 202,
  },
  duplicateTemplate: {
    scopes: FULL,
    id: 'template',
    body: (_, client) => ({ name: markOf(client) }),
    own: 201,
  },
  pushTemplates: {
    scopes: FULL,
    body: (_, client) => ({ slug: `pushed-${unique()}`, name: markOf(client), source: '<p>x</p>' }),
    own: 200,
  },
  pushTemplateBatch: {
    scopes: FULL,
    body: (_, client) => ({
      templates: [{ slug: `pushed-${unique()}`, name: markOf(client), source: '<p>x</p>' }],
    }),
    own: 200,
  },
  pullTemplates: { scopes: ['read', 'send', 'full'], own: 200 },
  deleteTemplate: { scopes: FULL, id: 'template', own: 200 },

  listWebhookEndpoints: { scopes: FULL, own: 200 },
  getWebhookEndpoint: { scopes: FULL, id: 'hookEndpoint', own: 200 },
  createWebhookEndpoint: {
    scopes: FULL,
    body: async (api, client) => {
      await api.sql`delete from hook_endpoints where organization_id = ${client.organizationId}`
      return {
        url: `https://${markOf(client)}.example.com/hooks`,
        eventTypes: ['email.bounced'],
      }
    },
    own: 201,
  },
  updateWebhookEndpoint: {
    scopes: FULL,
    id: 'hookEndpoint',
    body: (_, client) => ({ description: markOf(client) }),
    own: 200,
  },
  deleteWebhookEndpoint: { scopes: FULL, id: 'hookEndpoint', own: 200 },
  rotateWebhookEndpointSecret: { scopes: FULL, id: 'hookEndpoint', own: 200 },
  testWebhookEndpoint: { scopes: FULL, id: 'hookEndpoint', own: 202 },
  listWebhookDeliveries: { scopes: FULL, id: 'hookEndpoint', own: 200 },
  replayWebhookDeliveries: {
    scopes: FULL,
    id: 'hookEndpoint',
    body: () => ({ since: new Date(Date.now() - HOUR_MS).toISOString() }),
    own: 202,
  },
  // The endpoint decides whose it is. No delivery has the second id.
  replayWebhookDelivery: { scopes: FULL, id: 'hookEndpoint', own: 404 },

  createTopic: {
    scopes: ['contacts', 'full'],
    body: (_, client) => ({ name: `${markOf(client)} ${unique()}` }),
    own: 201,
  },
  listTopics: { scopes: ['read', 'contacts', 'full'], own: 200 },
  getTopic: { scopes: ['read', 'contacts', 'full'], id: 'topic', own: 200 },
  updateTopic: {
    scopes: ['contacts', 'full'],
    id: 'topic',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  deleteTopic: { scopes: ['contacts', 'full'], id: 'topic', own: 200 },

  listBatchDrafts: { scopes: ['send', 'full'], own: 200 },
  createBatchDraft: {
    scopes: ['send', 'full'],
    body: (_, client) => ({ input: { name: markOf(client) } }),
    own: 201,
  },
  getBatchDraft: { scopes: ['send', 'full'], id: 'batchDraft', own: 200 },
  updateBatchDraft: {
    scopes: ['send', 'full'],
    id: 'batchDraft',
    body: (_, client) => ({ input: { name: markOf(client) } }),
    own: 200,
  },
  deleteBatchDraft: { scopes: ['send', 'full'], id: 'batchDraft', own: 200 },

  listSegments: { scopes: READ, own: 200 },
  createSegment: {
    scopes: FULL,
    body: (_, client) => ({ name: markOf(client), condition: condition() }),
    own: 201,
  },
  previewSegment: { scopes: FULL, body: () => ({ condition: condition() }), own: 200 },
  getSegment: { scopes: READ, id: 'segment', own: 200 },
  listSegmentMembers: { scopes: READ, id: 'segment', own: 200 },
  updateSegment: {
    scopes: FULL,
    id: 'segment',
    body: (_, client) => ({ name: markOf(client) }),
    own: 200,
  },
  deleteSegment: { scopes: FULL, id: 'segment', own: 200 },

  listEmailLogs: { scopes: READ, own: 200 },
  exportEmailLogs: { scopes: FULL, own: 200 },
  getEmailMetrics: { scopes: READ, own: 200 },
  // By the provider's message id: a natural key only ever sees the caller's organization.
  getEmailLog: { scopes: READ, id: 'log', own: 200, foreign: 404 },

  // Without the secret nobody learns whether the account is known.
  receiveSesEvent: {
    id: 'accountNumber',
    body: () => ({}),
    own: 401,
    foreign: 401,
    unknown: 401,
    malformed: 401,
  },
  // Nor without a signature.
  receiveSnsMessage: {
    id: 'connection',
    body: () => snsMessage,
    own: 401,
    foreign: 401,
    unknown: 401,
    malformed: 401,
  },
  // The token is the proof, whoever carries it.
  showUnsubscribe: { id: 'token', own: 200, foreign: 200, unknown: 400, malformed: 400 },
  unsubscribe: { id: 'token', own: 200, foreign: 200, unknown: 400, malformed: 400 },
  showConfirmation: { id: 'confirmation', own: 200, foreign: 200, unknown: 400, malformed: 400 },
  confirmSubscription: { id: 'confirmation', own: 200, foreign: 200, unknown: 400, malformed: 400 },
  showInvitation: { id: 'invitationToken', own: 200, foreign: 200, unknown: 410, malformed: 410 },
  acceptInvitation: {
    id: 'invitationToken',
    body: () => ({ password: PASSWORD }),
    own: 200,
    foreign: 200,
    unknown: 410,
    malformed: 410,
  },
  showPreferences: { id: 'preferencesToken', own: 200, foreign: 200, unknown: 400, malformed: 400 },
  savePreferences: {
    id: 'preferencesToken',
    body: () => ({ topics: [] }),
    own: 200,
    foreign: 200,
    unknown: 400,
    malformed: 400,
  },
  showTools: { own: 200 },
  postTools: { body: () => ({ tool: 'headers', headers: 'From: ann@example.com' }), own: 200 },
  validateAddress: { body: () => ({ address: 'ann@example.com' }), own: 200 },
  analyzeHeaders: { body: () => ({ headers: 'From: ann@example.com' }), own: 200 },
  checkUnsubscribeMail: { body: () => ({ message: 'From: ann@example.com' }), own: 200 },
  generateDmarc: { body: () => ({ domain: 'example.com', policy: 'none' }), own: 200 },
  getEmailCheck: ANY_DOMAIN,
  getSpfCheck: ANY_DOMAIN,
  getDkimCheck: ANY_DOMAIN,
  getBimiCheck: ANY_DOMAIN,
  getDmarcCheck: ANY_DOMAIN,
  getMxCheck: ANY_DOMAIN,
  getMtaStsCheck: ANY_DOMAIN,
  getTlsRptCheck: ANY_DOMAIN,
  getBlocklistCheck: ANY_DOMAIN,
  getReverseDnsCheck: ANY_DOMAIN,
  checkEmail: { body: () => ({ domain: 'example.com' }), own: 200 },
  checkSpf: { body: () => ({ domain: 'example.com' }), own: 200 },
  checkDkim: { body: () => ({ domain: 'example.com' }), own: 200 },
  checkBimi: { body: () => ({ domain: 'example.com' }), own: 200 },
  runDmarcCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
  runMxCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
  runMtaStsCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
  runTlsRptCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
  runBlocklistCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
  runReverseDnsCheck: { body: () => ({ domain: 'example.com' }), own: 200 },
}

/** How a body of the matrix is sent. */
export const sentAs = (
  payload: object | string | undefined,
  headers: Record<string, string> = {},
) => ({
  ...(payload === undefined ? {} : { payload }),
  headers: { ...headers, ...(typeof payload === 'string' ? { 'content-type': 'text/csv' } : {}) },
})
