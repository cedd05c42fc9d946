import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { addressed } from '../../../src/keys/addresses.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { rowFailures, toldFailures } from '../../../src/domain/row-failures.ts'
import { monthOf } from '../../../src/domain/events/event-quota.ts'
import {
  EventAccepted,
  EventBatchInput,
  EventBatchResult,
  EventInput,
  EventLimitExceeded,
  EventNameList,
  EventNameQuery,
} from '../../../src/schemas/events/event.ts'
import { type Ingested, type IncomingEvent, ingest } from '../../../src/core/events/ingest.ts'
import { listNames } from '../../../src/store/events/events.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { rowChecker } from '../../http/row-checks.ts'
import type { TenantDeps } from '../../deps.ts'
import { missingContact, toIncomingEvent } from '../../../src/core/events/event-rules.ts'
import { noteUsage, usagesOfSet } from '../event-usage.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['events']
const checkRows = rowChecker(EventInput)
const ingesting = { scope: 'events', countsEvents: true } as const
const refusals = {
  429: {
    description: 'Too many requests, or the monthly event limit is used up; see Retry-After',
    ...EventLimitExceeded,
  },
}

export const eventRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, now } = deps

  const store = async (
    request: FastifyRequest,
    incomingEvents: readonly IncomingEvent[],
    at: number,
  ): Promise<Ingested[]> => {
    const { tx, caller, id: requestId } = request
    const { organizationId } = caller
    const { outcomes, countedUsage } = await ingest(tx, organizationId, incomingEvents, {
      addressOf: (email) => addressed(keyring, organizationId, email),
      requestId,
      month: monthOf(at),
    })
    if (countedUsage) await noteUsage(request, countedUsage, at)
    return outcomes
  }

  /** Stores single events of several requests. */
  const storeSet = async (
    tx: Transaction,
    requests: readonly FastifyRequest[],
  ): Promise<(object | AppError)[]> => {
    const [first] = requests
    if (!first) return []
    const { organizationId } = first.caller
    const at = now()
    const events = requests.map(({ body }) => toIncomingEvent(body as EventInput, at))
    const good = events.flatMap((event, index) =>
      event instanceof AppError ? [] : [{ event, index }],
    )
    const { outcomes, countedUsage } = await ingest(
      tx,
      organizationId,
      good.map(({ event }) => event),
      {
        addressOf: (email) => addressed(keyring, organizationId, email),
        requestId: undefined,
        month: monthOf(at),
        isMixed: true,
      },
    )
    const usages = countedUsage ? await usagesOfSet(tx, organizationId, countedUsage, at) : []
    const answers: (object | AppError)[] = events.map((event) => event)
    for (const [position, { index }] of good.entries()) {
      const [outcome, request] = [outcomes[position], requests[index]]
      if (!outcome || !request) throw new Error('an event has an outcome')
      answers[index] = answerOf(request.body as EventInput, outcome)
      if (outcome.kind === 'stored') request.eventUsage = usages.shift()
    }
    return answers
  }

  app.post(
    '/v1/events',
    {
      config: { ...ingesting, sets: { wordsOf: subjectsOf, work: storeSet } },
      schema: {
        tags,
        operationId: 'ingestEvent',
        summary: 'Report an event of a contact',
        description:
          'Starts the workflows that it triggers and resumes executions that wait for it. Accepted events count towards the monthly quota, which every response reports in `X-Event-*` headers.',
        body: EventInput,
        response: { 200: EventAccepted, ...refusals },
      },
    },
    async (request) => {
      const { body } = request
      const at = now()
      const event = toIncomingEvent(body, at)
      if (event instanceof AppError) throw event
      const [outcome] = await store(request, [event], at)
      if (!outcome) throw new Error('an event has an outcome')
      const answer = answerOf(body, outcome)
      if (answer instanceof AppError) throw answer
      return answer
    },
  )

  app.post(
    '/v1/events/batch',
    {
      config: ingesting,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'ingestEvents',
        summary: 'Report up to 1,000 events of contacts',
        description:
          'Events are independent: valid events are stored if others fail, and `errorDetails` lists the others. If the valid events would exceed 125 % of the monthly limit, the whole request is refused.',
        body: EventBatchInput,
        response: { 200: EventBatchResult, ...refusals },
      },
    },
    async (request) => {
      const at = now()
      const failures = rowFailures('events')
      const accepted: { index: number; event: IncomingEvent }[] = []
      for (const { index, row } of await checkRows(request, request.body.events, failures)) {
        const event = toIncomingEvent(row, at)
        if (event instanceof AppError) failures.add(index, event)
        else accepted.push({ index, event })
      }
      const outcomes = await store(
        request,
        accepted.map(({ event }) => event),
        at,
      )
      const sum = { processed: 0, duplicates: 0, workflowsTriggered: 0, executionsResumed: 0 }
      for (const [position, outcome] of outcomes.entries()) {
        const index = accepted[position]?.index ?? position
        if (outcome.kind === 'failed') failures.add(index, missingContact(outcome.why))
        if (outcome.kind === 'duplicate') sum.duplicates++
        if (outcome.kind !== 'stored') continue
        sum.processed++
        sum.workflowsTriggered += outcome.started
        sum.executionsResumed += outcome.resumed
      }
      const report = toldFailures('events', failures.list())
      return { success: report.errors.length === 0, ...sum, ...report }
    },
  )

  app.get(
    '/v1/events/names',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listEventNames',
        summary: 'List the names of events, newest first',
        description:
          'Returns names for an editor of workflows. A name is added when its first event arrives.',
        querystring: EventNameQuery,
        response: { 200: EventNameList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'event-names', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await listNames(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )
}

/** The keys by which an event names its contact. */
const subjectsOf = ({ body }: FastifyRequest): string[] => {
  const { contactId, contactExternalId, contactEmail } = body as EventInput
  return [contactId, contactExternalId, contactEmail].flatMap((key) => key?.toLowerCase() ?? [])
}

/** What is answered to a single event. */
function answerOf({ eventId }: EventInput, outcome: Ingested): EventAccepted | AppError {
  if (outcome.kind === 'failed') return missingContact(outcome.why)
  const isStored = outcome.kind === 'stored'
  return {
    success: true,
    eventId: eventId ?? (isStored ? outcome.id : ''),
    duplicate: !isStored,
    contactCreated: isStored && outcome.contactCreated,
    workflowsTriggered: isStored ? outcome.started : 0,
    executionsResumed: isStored ? outcome.resumed : 0,
  }
}
