import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Audience } from '../../../src/domain/audience/audience.ts'
import { sentenceOf } from '../../../src/domain/audience/condition-sentence.ts'
import type { Condition } from '../../../src/domain/audience/condition.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import {
  Segment,
  SegmentInput,
  SegmentList,
  SegmentListQuery,
  SegmentMemberList,
  SegmentMembersQuery,
  SegmentPatch,
  SegmentPreview,
  SegmentPreviewInput,
} from '../../../src/schemas/audience/segment.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { requireFeature } from '../../../src/core/access/plan.ts'
import {
  previewMembers,
  requireInTime,
  withEntryTimes,
} from '../../../src/core/audience/members.ts'
import {
  changeSegment,
  counted,
  createSegment,
  deleteSegment,
  recounted,
  requireCondition,
  requireSegment,
  viewOf,
} from '../../../src/core/audience/segments.ts'
import { requireUsable } from '../../../src/core/audience/usable.ts'
import * as audiences from '../../../src/store/audience/audience.ts'
import * as segments from '../../../src/store/audience/segments.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { createCounter } from '../../http/large-lists.ts'
import { MOST_COUNTED, pageFigures } from '../../http/pages.ts'

const tags = ['segments']
const reading = { scope: 'read' } as const
const writing = { scope: 'segments' } as const
const SHOWN = 10

/** Saved conditions and the contacts that meet them, on paid plans. */
export const segmentRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { searchSql, now },
) => {
  const counter = createCounter(now)
  const counting = (organizationId: Uuid) => ({ searchSql, organizationId, now: now() })
  const asking = (organizationId: Uuid, condition: Condition) => ({
    organizationId,
    condition,
    now: new Date(now()).toISOString(),
  })

  app.post(
    '/v1/segments',
    {
      // Members are counted before the transaction: it is not open for as long as that takes.
      config: { ...writing, leased: true },
      schema: {
        tags,
        operationId: 'createSegment',
        summary: 'Create a segment',
        description:
          'Its members are the contacts of which the condition holds, whenever it is asked. An operator that does not fit its field is refused, naming the place. A segment cannot be part of a condition. An organization has up to 1,000 segments.',
        body: SegmentInput,
        response: { 201: Segment, ...failures(402, 409) },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const { workId: id, body } = request
      const { name, description = null, condition } = body
      requireCondition(condition)
      await requireFeature(sql, organizationId, 'segments')
      const values = { id, name, description, condition }
      const count = await counted(counting(organizationId), condition)
      await transact(sql, async (tx) => {
        const isNew = await createSegment(tx, organizationId, { ...values, ...count })
        const subject = { kind: 'segment', id }
        if (isNew) await audit(tx, request, now, { action: 'segment.created', subject })
      })
      reply.code(201)
      return viewOf(await requireSegment(sql, organizationId, id))
    },
  )

  app.get(
    '/v1/segments',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listSegments',
        summary: 'List segments, newest first',
        description: 'With the counts that were made last. `search`: part of the name.',
        querystring: SegmentListQuery,
        response: { 200: SegmentList, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, offset, search } }) => {
      await requireFeature(sql, organizationId, 'segments')
      const [rows, total] = await Promise.all([
        segments.list(sql, organizationId, { search, limit, offset }),
        segments.count(sql, organizationId, search),
      ])
      return { segments: rows.map(viewOf), total, limit, offset }
    },
  )

  app.post(
    '/v1/segments/preview',
    {
      config: { ...writing, leased: true },
      schema: {
        tags,
        operationId: 'previewSegment',
        summary: 'Count the contacts of which a condition holds, and show some',
        description:
          'Nothing is kept. Where all contacts take too long, the count is an estimate from every 64th of them, and `countIsExact` is false. 400 `condition_too_slow` where even that does.',
        body: SegmentPreviewInput,
        response: { 200: SegmentPreview, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, body: { condition, limit = SHOWN } }) => {
      requireCondition(condition)
      await requireFeature(sql, organizationId, 'segments')
      const question = asking(organizationId, condition)
      const { count, isExact, sample, skippedValues } = await previewMembers(
        searchSql,
        question,
        limit,
      )
      const sentence = sentenceOf(condition)
      return { count, countIsExact: isExact, sentence, sample, skippedValues }
    },
  )

  app.get(
    '/v1/segments/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getSegment',
        summary: 'Get a segment',
        description:
          'Its members are counted again when the last count is older than a minute. `problem` says why it cannot be evaluated, or why nobody enters or leaves it for now.',
        params: IdParams,
        response: { 200: Segment, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      await requireFeature(sql, organizationId, 'segments')
      const segment = await requireSegment(sql, organizationId, id)
      return viewOf(await recounted(sql, counting(organizationId), segment))
    },
  )

  app.get(
    '/v1/segments/:id/members',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listSegmentMembers',
        summary: 'List the contacts in a segment, newest first',
        description:
          'By page or by cursor, as contacts are listed. `enteredAt` where membership is kept, because an enabled workflow waits for entries or exits. 400 `segment_too_slow` where its condition takes too long, `segment_not_usable` where it cannot be evaluated.',
        params: IdParams,
        querystring: SegmentMembersQuery,
        response: { 200: SegmentMemberList, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query }) => {
      const { page, pageSize, cursor } = query
      if (cursor !== undefined && page > 1) {
        throw badRequest('The query parameters page and cursor exclude each other', [
          { path: 'page', message: 'cannot go with a cursor' },
        ])
      }
      await requireFeature(sql, organizationId, 'segments')
      const segment = await requireSegment(sql, organizationId, id)
      const scope = { list: 'segmentMembers', organizationId, filters: { id: segment.id } }
      const before = decodeCursor(scope, cursor)
      const { condition } = segment
      requireUsable('id', condition)
      const audience: Audience = [
        { type: 'condition', condition, now: new Date(now()).toISOString() },
      ]
      const range = { before, limit: pageSize + 1, offset: (page - 1) * pageSize }
      const [rows, memberCount] = await requireInTime(
        'id',
        Promise.all([
          audiences.list(searchSql, organizationId, audience, range),
          counter(JSON.stringify([organizationId, condition]), () =>
            audiences.count(searchSql, organizationId, audience, MOST_COUNTED + 1),
          ),
        ]),
      )
      const contacts = await withEntryTimes(
        sql,
        organizationId,
        segment.id,
        rows.slice(0, pageSize),
      )
      const next = rows.length > pageSize ? contacts.at(-1)?.id : undefined
      const figures = pageFigures({
        page,
        pageSize,
        hasMore: next !== undefined,
        counted: memberCount,
      })
      const nextCursor = next === undefined ? null : encodeCursor(scope, next)
      return { contacts, page, pageSize, ...figures, nextCursor }
    },
  )

  app.patch(
    '/v1/segments/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'updateSegment',
        summary: 'Change a segment',
        description: 'Only the given fields; null clears the description.',
        params: IdParams,
        body: SegmentPatch,
        response: { 200: Segment, ...failures(402, 409) },
      },
    },
    async (request) => {
      const { params, body: patch } = request
      const { organizationId, sql } = request.caller
      if (patch.condition) requireCondition(patch.condition)
      await requireFeature(sql, organizationId, 'segments')
      const { id } = await requireSegment(sql, organizationId, params.id)
      const members = patch.condition
        ? await counted(counting(organizationId), patch.condition)
        : undefined
      const segment = await transact(sql, async (tx) => {
        const changed = await changeSegment(tx, organizationId, { id, patch, members })
        const subject = { kind: 'segment', id }
        if (changed) await audit(tx, request, now, { action: 'segment.updated', subject })
        return changed
      })
      if (!segment) throw await missing(sql, 'segment', organizationId, id)
      return viewOf(segment)
    },
  )

  app.delete(
    '/v1/segments/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteSegment',
        summary: 'Delete a segment',
        description:
          'Its contacts stay. 409 `segment_in_use` while a batch that has not ended, an enabled workflow or an execution that is not over (of any version) uses it, which are named.',
        params: IdParams,
        response: { 200: Success, ...failures(402, 409) },
      },
    },
    async (request) => {
      const { organizationId, sql } = request.caller
      await requireFeature(sql, organizationId, 'segments')
      const { id } = await requireSegment(sql, organizationId, request.params.id)
      await transact(sql, async (tx) => {
        const isDeleted = await deleteSegment(tx, organizationId, id)
        if (!isDeleted) throw await missing(tx, 'segment', organizationId, id)
        const subject = { kind: 'segment', id }
        await audit(tx, request, now, { action: 'segment.deleted', subject })
      })
      return { success: true as const }
    },
  )
}
