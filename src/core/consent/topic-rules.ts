import { givenAccount } from '../../domain/accounts/account-names.ts'
import { refuse } from '../../domain/errors.ts'
import { readSender } from '../../domain/mailbox.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { CONFIRM_URL } from '../../mail/confirmation.ts'
import type { TopicPatch, TopicSummary } from '../../schemas/consent/topic.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as templates from '../../store/content/templates.ts'
import type { TopicValues } from '../../store/consent/topics.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { requireAccount } from '../accounts/resolve-sender.ts'
import { awaitChecks, type Contents } from '../../mail/content-checks.ts'

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

type TopicInput = Pick<TopicSummary, keyof typeof NEW_TOPIC | 'name' | 'slug'>

/**
 * Returns a topic with `patch` applied. Throws a 400 that names the field if the topic could not
 * ask for confirmations, and a 403 if the field names a resource of another organization.
 */
export async function patchedTopic(
  { tx, organizationId, contents }: Checking,
  topic: TopicInput,
  patch: TopicPatch,
): Promise<TopicValues> {
  const { name, slug, description, doubleOptIn, templateId } = patch
  const next = {
    name: name ?? topic.name,
    slug: slug ?? topic.slug,
    description: description === undefined ? topic.description : description,
    doubleOptIn: doubleOptIn ?? topic.doubleOptIn,
    public: patch.public ?? topic.public,
    templateId: templateId === undefined ? topic.templateId : templateId,
    ...senderAfter(topic, patch),
  }
  if (next.doubleOptIn && next.from === null) refuse('from', 'is required with doubleOptIn')
  if (templateId !== undefined && templateId !== null) {
    next.templateId = await checkTemplate({ tx, organizationId, contents }, templateId)
  }
  const { id } = givenAccount(patch)
  const account = id === undefined ? topic.cloudAccountId : null
  // Emails need an account. A topic without emails need not name one.
  const needsOne = typeof id === 'string' || (next.doubleOptIn && account === null)
  if (!needsOne) return { ...next, cloudAccountId: account }
  return { ...next, cloudAccountId: (await requireAccount(tx, organizationId, patch)).id }
}

function senderAfter(topic: TopicInput, { from, fromName }: TopicPatch) {
  const { address, name, problems } = readSender(from ?? topic.from ?? '', fromName)
  const [problem] = problems
  if (problem) refuse(problem.path, problem.message)
  return {
    from: typeof from === 'string' ? address : from === null ? null : topic.from,
    fromName: name === undefined ? topic.fromName : name,
  }
}

export async function prepareTopic(
  sql: Executor,
  organizationId: Uuid,
  contents: Contents,
  { templateId }: TopicPatch,
): Promise<void> {
  if (typeof templateId !== 'string' || !isUuid(templateId)) return
  const template = await templates.findPublished(sql, organizationId, templateId)
  await awaitChecks(template ? [contents.roots('html', template.source, 'templateId')] : [])
}

async function checkTemplate(
  { tx, organizationId, contents }: Checking,
  id: string,
): Promise<Uuid> {
  const template = isUuid(id) ? await templates.findPublished(tx, organizationId, id) : undefined
  if (!template) {
    await refuseForeign(tx, 'template', organizationId, id)
    return refuse('templateId', 'must be the id of a published template')
  }
  const used = await contents.roots('html', template.source, 'templateId')
  if (!used.has(CONFIRM_URL)) refuse('templateId', `must be a template that uses ${CONFIRM_URL}`)
  const early = ['unsubscribeUrl', 'preferencesUrl'].find((name) => used.has(name))
  if (early !== undefined) {
    refuse(
      'templateId',
      `must be a template without ${early}, since the contact is not subscribed yet`,
    )
  }
  return template.id
}
