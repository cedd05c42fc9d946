import { refuse } from '../src/domain/errors.ts'
import { isUuid, type Uuid } from '../src/ids.ts'
import { CONFIRM_URL } from '../src/mail/confirmation.ts'
import { formatAddress } from '../src/mail/headers.ts'
import type { TopicPatch, TopicSummary } from '../src/schemas/topic.ts'
import * as connections from '../src/store/connections.ts'
import type { Executor, Transaction } from '../src/store/sql.ts'
import * as templates from '../src/store/templates.ts'
import type { TopicValues } from '../src/store/topics.ts'
import { type Contents, settled } from './contents.ts'
import { missing } from './ownership.ts'

/** A topic before anything was said of it. */
export const NEW_TOPIC = {
  description: null,
  doubleOptIn: false,
  public: true,
  templateId: null,
  from: null,
  fromName: null,
  cloudAccountId: null,
}

interface Checking {
  tx: Transaction
  organizationId: Uuid
  contents: Contents
}

type Given = Pick<TopicSummary, keyof typeof NEW_TOPIC | 'name' | 'slug'>

/**
 * What a topic becomes when `patch` is said of it: a field that is absent stays. 400 that names the
 * field when it could then not ask for confirmations, 403 for what is another organization's.
 */
export async function patchedTopic(
  { tx, organizationId, contents }: Checking,
  topic: Given,
  patch: TopicPatch,
): Promise<TopicValues> {
  const { name, slug, description, doubleOptIn, templateId, from, fromName } = patch
  const next = {
    name: name ?? topic.name,
    slug: slug ?? topic.slug,
    description: description === undefined ? topic.description : description,
    doubleOptIn: doubleOptIn ?? topic.doubleOptIn,
    public: patch.public ?? topic.public,
    templateId: templateId === undefined ? topic.templateId : templateId,
    from: from === undefined ? topic.from : (from?.trim() ?? null),
    fromName: fromName === undefined ? topic.fromName : fromName,
  }
  if (next.doubleOptIn && next.from === null) refuse('from', 'is needed with doubleOptIn')
  if (next.from !== null) checkSender(next.from, next.fromName)
  if (templateId !== undefined && templateId !== null) {
    next.templateId = await checkTemplate({ tx, organizationId, contents }, templateId)
  }
  const account = patch.cloudAccountId === undefined ? topic.cloudAccountId : patch.cloudAccountId
  const isNamed = typeof patch.cloudAccountId === 'string'
  if (isNamed && account !== null) {
    return { ...next, cloudAccountId: await checkAccount(tx, organizationId, account) }
  }
  // Mail needs an account; a topic that sends none need not name one.
  const needsOne = next.doubleOptIn && account === null
  return { ...next, cloudAccountId: needsOne ? await onlyAccount(tx, organizationId) : account }
}

function checkSender(from: string, fromName: string | null): void {
  try {
    formatAddress(from, fromName)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    refuse('from', 'cannot be a sender: it has characters that are not US-ASCII')
  }
}

/** Has what `patchedTopic` will ask of the template answered before a transaction is open. */
export async function prepareTopic(
  sql: Executor,
  organizationId: Uuid,
  contents: Contents,
  { templateId }: TopicPatch,
): Promise<void> {
  if (typeof templateId !== 'string' || !isUuid(templateId)) return
  const template = await templates.findPublished(sql, organizationId, templateId)
  await settled(template ? [contents.roots('html', template.source, 'templateId')] : [])
}

async function checkTemplate(
  { tx, organizationId, contents }: Checking,
  id: string,
): Promise<Uuid> {
  const template = isUuid(id) ? await templates.findPublished(tx, organizationId, id) : undefined
  if (!template) return refuseForeign(tx, 'template', organizationId, id, 'templateId')
  const used = await contents.roots('html', template.source, 'templateId')
  if (!used.has(CONFIRM_URL))
    refuse('templateId', `names a template that does not use ${CONFIRM_URL}`)
  const early = ['unsubscribeUrl', 'preferencesUrl'].find((name) => used.has(name))
  if (early !== undefined) {
    refuse('templateId', `names a template that uses ${early}: nobody is subscribed yet`)
  }
  return template.id
}

async function checkAccount(tx: Transaction, organizationId: Uuid, id: string): Promise<Uuid> {
  const sender = isUuid(id) ? await connections.findSender(tx, organizationId, id) : undefined
  if (!sender) return refuseForeign(tx, 'connection', organizationId, id, 'cloudAccountId')
  if (sender.disconnectedAt !== null) refuse('cloudAccountId', 'names a disconnected account')
  return sender.id
}

async function onlyAccount(tx: Transaction, organizationId: Uuid): Promise<Uuid> {
  const [only, other] = await connections.listSenders(tx, organizationId)
  if (!only) return refuse('cloudAccountId', 'is needed: no account is connected')
  if (other) return refuse('cloudAccountId', 'is needed: several accounts are connected')
  return only.id
}

async function refuseForeign(
  tx: Transaction,
  kind: 'connection' | 'template',
  organizationId: Uuid,
  id: string,
  path: string,
): Promise<never> {
  const refusal = await missing(tx, kind, organizationId, id)
  if (refusal.code === 'FORBIDDEN') throw refusal
  return refuse(path, `names no ${kind === 'connection' ? 'account' : 'published template'}`)
}
