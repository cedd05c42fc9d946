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
import { requireUsable } from '../../../src/domain/audience/usable-condition.ts'
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
      // Members are counted before the transaction, so that it is not open for that time.
      config: { ...writing, leased: true },
      schema: {
        tags,
        operationId: 'createSegment',
        summary: 'Create a segment',
        description:
          'Members of a segment are all contacts that meet its condition at the time of a request. An operator that does not fit its field is refused with the path of the filter. Conditions cannot refer to segments. An organization can have up to 1,000 segments.',
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
        description:
          'Returns segments with their latest counts. `search` filters by a part of the name.',
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
        summary: 'Count the contacts that meet a condition, with a sample',
        description:
          'Nothing is stored. If counting all contacts takes too long, the count is an estimate from every 64th contact, and `countIsExact` is false. If even that takes too long, the request fails with 400 `condition_too_slow`.',
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
          'Counts the members again if the last count is older than a minute. `problem` tells why the segment cannot be evaluated, or why contacts temporarily do not enter or leave it.',
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
        summary: 'List the contacts of a segment, newest first',
        description:
          'Use pages or cursors, as for contacts. `enteredAt` is set if membership is tracked, which is the case while an enabled workflow waits for contacts to enter or leave. Fails with 400 `segment_too_slow` if the condition takes too long, and `segment_not_usable` if it cannot be evaluated.',
        params: IdParams,
        querystring: SegmentMembersQuery,
        response: { 200: SegmentMemberList, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query }) => {
      const { page, pageSize, cursor } = query
      if (cursor !== undefined && page > 1) {
        throw badRequest('The query parameters page and cursor cannot be combined', [
          { path: 'page', message: 'cannot be combined with a cursor' },
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
        summary: 'Update a segment',
        description: 'Updates only the fields that are sent. Send null to remove the description.',
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
          'The contacts are not deleted. Fails with 409 `segment_in_use` while an unfinished batch, an enabled workflow or an unfinished execution (of any version) uses the segment. `details` names them.',
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
