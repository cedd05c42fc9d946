import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { badRequest, conflict, refuse } from '../../src/domain/errors.ts'
import { isUuid, type Uuid, uuidv7 } from '../../src/ids.ts'
import type { Content, ContentSource } from '../../src/mail/content.ts'
import {
  Batch,
  BatchInput,
  BatchList,
  BatchListQuery,
  CancelledBatch,
  CreatedBatch,
  RecipientList,
  RecipientListQuery,
} from '../../src/schemas/batch.ts'
import { IdParams } from '../../src/schemas/common.ts'
import * as batches from '../../src/store/batches.ts'
import * as connections from '../../src/store/connections.ts'
import * as contacts from '../../src/store/contacts.ts'
import * as contents from '../../src/store/contents.ts'
import { type Executor, type Transaction, transact } from '../../src/store/sql.ts'
import * as templates from '../../src/store/templates.ts'
import * as topics from '../../src/store/topics.ts'
import { applyBatchRules } from '../batch-rules.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import { settled } from '../contents.ts'
import { decodeCursor } from '../cursor.ts'
import type { Caller } from '../auth.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { nameAccount } from '../named-account.ts'
import { missing } from '../ownership.ts'
import { MOST_COUNTED, pageFigures, pageOf } from '../pages.ts'
import {
  createSenderChecks,
  notChecked,
  notVerified,
  SENDER_NOT_VERIFIED,
  warned,
} from '../sender-check.ts'

const tags = ['batch']
const reading = { scope: ['read', 'send'] } as const
const sending = { scope: 'send' } as const
/** Unknown contacts that an answer names. */
const MOST_NAMED = 20
/** What a batch names by id. */
const KIND_NAMES = {
  connection: 'account',
  template: 'published template',
  topic: 'topic',
} as const
/** What the parts of the content are called where they are wrong. */
const PATHS = {
  subject: 'subject',
  previewText: 'previewText',
  html: 'htmlContent',
  text: 'textContent',
  variables: 'variableMappings',
}

/** Creation, progress and cancellation. The sending itself is the `sendBatch` workflow. */
export const batchRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { asker, now }) => {
  const senders = createSenderChecks({ asker, now })

  app.post(
    '/v1/batch',
    {
      config: sending,
      bodyLimit: LARGE_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'createBatch',
        summary: 'Send a mail to many contacts, now or later',
        description:
          'Content is a published template or comes with the batch. Without `scheduledFor`, or with a time that has passed, sending starts at once. The audience is frozen when sending starts; who has left or may not be mailed by the moment of sending is skipped. `from` must be of a verified identity of the account (400, `sender_not_verified`); when the account does not say so within two seconds, the batch is accepted with a warning.',
        body: BatchInput,
        response: { 201: CreatedBatch },
      },
      preHandler: async (request) => {
        const { caller, body, contents } = request
        const { organizationId, sql } = caller
        const checkSender = async (): Promise<void> => {
          const account = await nameAccount(sql, organizationId, body.cloudAccountId)
          if (account?.disconnectedAt !== null) return
          const address = body.from.trim()
          await senders.check(request, [{ connectionId: account.id, address }])
        }
        const checkContent = async (): Promise<void> => {
          const template = await findTemplate(sql, organizationId, body.templateId)
          const source = ownSource(body, template)
          await settled(source === undefined ? [] : [contents.compile(source, PATHS)])
        }
        await Promise.all([checkSender(), checkContent()])
      },
    },
    async (request, reply) => {
      const { tx, id: requestId, caller, body } = request
      const { organizationId } = caller
      const scheduledFor = applyBatchRules(body, now())
      const sender = await findSender(tx, organizationId, body.cloudAccountId)
      const from = { connectionId: sender.id, address: body.from.trim() }
      const standing = senders.of(request).standing(from)
      if (standing === 'not_verified') {
        refuse('from', notVerified(from.address), SENDER_NOT_VERIFIED)
      }
      if (body.unknownOutcome === 'retry' && !sender.receivesEvents) {
        refuse(
          'unknownOutcome',
          'retry needs an account of which a delivery event arrived in the last 24 hours',
        )
      }
      const content = await findContent(tx, request)
      const topicId = await findTopic(tx, organizationId, body.topicId)
      const audience = await findAudience(tx, organizationId, body.contactIds, topicId)
      const batch = {
        organizationId,
        id: uuidv7(),
        status: scheduledFor === null ? ('queued' as const) : ('scheduled' as const),
        name: body.name ?? null,
        audienceType: body.audienceType,
        contactIds: audience.contactIds,
        topicId,
        connectionId: sender.id,
        contentId: content.id,
        templateId: content.templateId,
        subject: content.subject,
        previewText: content.previewText,
        fromAddress: from.address,
        fromName: body.fromName ?? null,
        replyTo: body.replyTo?.trim() ?? null,
        variableMappings: body.variableMappings ?? [],
        scheduledFor,
        unknownOutcome: body.unknownOutcome ?? 'fail',
        totalRecipients: audience.estimate,
      }
      if (content.inline) {
        await contents.create(tx, { organizationId, id: content.id, ...content.inline })
      }
      reply.code(201)
      const created = await batches.create(tx, batch, requestId)
      const warnings = standing === 'not_known' ? [notChecked('from', from.address)] : []
      return warned(created, warnings)
    },
  )

  app.get(
    '/v1/batch',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listBatches',
        summary: 'List batches, newest first',
        description: 'Pages begin at 1. `search` finds part of a name or subject.',
        querystring: BatchListQuery,
        response: { 200: BatchList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { page, pageSize, ...filters } }) => {
      const window = { limit: pageSize + 1, offset: (page - 1) * pageSize }
      const [rows, counted] = await Promise.all([
        batches.list(sql, organizationId, { ...filters, ...window }),
        batches.count(sql, organizationId, filters, MOST_COUNTED + 1),
      ])
      const figures = pageFigures({ page, pageSize, found: rows.length, counted })
      const { total, totalPages } = figures
      return { data: rows.slice(0, pageSize), page, pageSize, total, totalPages }
    },
  )

  app.get(
    '/v1/batch/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getBatch',
        summary: 'Get a batch with its progress',
        description:
          '`totalRecipients` is an estimate until `audienceFrozenAt` is set. The counters of delivery go on growing after `completedAt`, as events arrive.',
        params: IdParams,
        response: { 200: Batch },
      },
    },
    ({ caller, params: { id } }) => load(caller, id),
  )

  app.get(
    '/v1/batch/:id/recipients',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listBatchRecipients',
        summary: 'List the recipients of a batch, in the order they are mailed in',
        description:
          'Empty until the audience is frozen. A long list is best read with `cursor`; `offset` and `cursor` exclude each other.',
        params: IdParams,
        querystring: RecipientListQuery,
        response: { 200: RecipientList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query }) => {
      const { limit, offset, cursor, status } = query
      if (cursor !== undefined && offset > 0) {
        throw badRequest('The query parameters offset and cursor exclude each other', [
          { path: 'offset', message: 'cannot go with a cursor' },
        ])
      }
      const ledger = isUuid(id) ? await batches.findLedger(sql, organizationId, id) : undefined
      if (!ledger) throw await missing(sql, 'batch', organizationId, id)
      const scope = { list: 'recipients', organizationId, filters: { batch: id, status } }
      const after = decodeCursor(scope, cursor)
      const { bucket, cancelled } = ledger
      if (bucket === null) return { data: [], limit, offset, total: 0, nextCursor: null }
      const wanted = { bucket, cancelled, status }
      const [rows, total] = await Promise.all([
        batches.listRecipients(sql, organizationId, { ...wanted, after, limit: limit + 1, offset }),
        status === undefined ? ledger.total : batches.countRecipients(sql, organizationId, wanted),
      ])
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, limit, offset, total, nextCursor }
    },
  )

  app.delete(
    '/v1/batch/:id',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'cancelBatch',
        summary: 'Cancel a batch that has not ended',
        description:
          'Works while the batch is `scheduled`, `queued` or `processing`, else 409. Sending stops within two seconds; what was sent stays sent.',
        params: IdParams,
        response: { 200: CancelledBatch, ...failures(409) },
      },
    },
    async ({ id: requestId, caller, params: { id } }) => {
      const { organizationId, sql } = caller
      const cancelled = isUuid(id)
        ? await transact(sql, (tx) => batches.cancel(tx, organizationId, id, requestId))
        : undefined
      if (cancelled) return { ...cancelled, success: true as const }
      const batch = await load(caller, id)
      throw conflict(`A ${batch.status} batch cannot be cancelled`, {
        reason: 'batch_not_cancellable',
      })
    },
  )

  async function load({ organizationId, sql }: Caller, id: string): Promise<Batch> {
    const batch = isUuid(id) ? await batches.find(sql, organizationId, id) : undefined
    if (!batch) throw await missing(sql, 'batch', organizationId, id)
    return batch
  }

  /** The account that was named, or the only one there is. */
  async function findSender(sql: Transaction, organizationId: Uuid, id: string | undefined) {
    if (id === undefined) {
      const [only, other] = await connections.listSenders(sql, organizationId)
      if (!only) return refuse('cloudAccountId', 'is needed: no account is connected')
      if (other) return refuse('cloudAccountId', 'is needed: several accounts are connected')
      return only
    }
    const sender = await nameAccount(sql, organizationId, id)
    if (!sender) return refuseForeign(sql, 'connection', organizationId, id, 'cloudAccountId')
    if (sender.disconnectedAt !== null) refuse('cloudAccountId', 'names a disconnected account')
    return sender
  }

  /** What the batch will say: a template's newest version, or what came with it. */
  async function findContent(
    sql: Transaction,
    { contents, caller: { organizationId }, body }: Asked,
  ): Promise<BatchContent> {
    const { templateId, subject = null, previewText = null } = body
    const template = await findTemplate(sql, organizationId, templateId)
    const source = ownSource(body, template)
    const inline = source && (await contents.compile(source, PATHS))
    if (templateId === undefined) {
      if (!inline) throw new Error('a batch without a template brings its content')
      if (inline.subject === null) return refuse('subject', 'is needed')
      return { ...inline, subject: inline.subject, id: uuidv7(), templateId: null, inline }
    }
    if (!template) return refuseForeign(sql, 'template', organizationId, templateId, 'templateId')
    if (subject === null && template.subject === null) {
      return refuse('subject', 'is needed: the template has none')
    }
    const { id, contentId } = template
    const own = { subject: template.subject ?? '', previewText: template.previewText }
    if (!inline) return { ...own, id: contentId, templateId: id }
    const said = { ...own, ...inline, subject: inline.subject ?? own.subject, templateId: id }
    return previewText === null ? { ...said, id: contentId } : { ...said, id: uuidv7(), inline }
  }

  async function findTopic(sql: Transaction, organizationId: Uuid, id: string | undefined) {
    if (id === undefined) return null
    const { ids } = await topics.resolve(sql, organizationId, { topicIds: [id] })
    return ids[0] ?? refuseForeign(sql, 'topic', organizationId, id, 'topicId')
  }

  async function findAudience(
    sql: Transaction,
    organizationId: Uuid,
    wanted: readonly string[] | undefined,
    topicId: Uuid | null,
  ) {
    if (wanted === undefined && topicId !== null) {
      const most = MOST_COUNTED + 1
      const { subscribed } = await topics.countByStatus(sql, organizationId, topicId, most)
      return { contactIds: null, estimate: subscribed }
    }
    if (wanted === undefined) {
      const estimate = await contacts.countMailable(sql, organizationId, MOST_COUNTED + 1)
      return { contactIds: null, estimate }
    }
    const ids = [...new Set(wanted.map((id) => id.toLowerCase()))]
    const known = new Set(await contacts.listExisting(sql, organizationId, ids.filter(isUuid)))
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) {
      const named = unknown.slice(0, MOST_NAMED)
      throw badRequest(
        `contactIds names ${unknown.length} unknown contacts: ${named.join(', ')}`,
        named.map((id) => ({ path: 'contactIds', message: `${id} is not a contact` })),
      )
    }
    return { contactIds: ids, estimate: ids.length }
  }

  async function refuseForeign(
    sql: Transaction,
    kind: keyof typeof KIND_NAMES,
    organizationId: Uuid,
    id: string,
    path: string,
  ): Promise<never> {
    const refusal = await missing(sql, kind, organizationId, id)
    if (refusal.code === 'FORBIDDEN') throw refusal
    return refuse(path, `names no ${KIND_NAMES[kind]}`)
  }
}

type Asked = Pick<FastifyRequest, 'contents' | 'caller'> & { body: BatchInput }

const findTemplate = async (sql: Executor, organizationId: Uuid, id: string | undefined) =>
  id !== undefined && isUuid(id) ? templates.findPublished(sql, organizationId, id) : undefined

/** What is of the batch's own and has to be compiled; undefined: a template says all. */
function ownSource(
  body: BatchInput,
  template: templates.Published | undefined,
): ContentSource | undefined {
  const { templateId, subject = null, previewText = null } = body
  const variableNames = (body.variableMappings ?? []).map(({ variableName }) => variableName)
  if (templateId === undefined) {
    const { htmlContent: html = '', textContent: text = null } = body
    return { subject, previewText, html, text, variableNames }
  }
  if (!template || (subject === null && previewText === null)) return undefined
  // A subject or preview text of the batch's own uses the template's variables and their fallbacks.
  const { variables, source: html } = template
  const parts = { subject, previewText: previewText ?? template.previewText, html }
  return { ...parts, variables, variableNames }
}

interface BatchContent {
  id: Uuid
  templateId: Uuid | null
  subject: string
  previewText: string | null
  /** Content that came with the batch and is stored with it. */
  inline?: Content
}
