import type { Client } from '@temporalio/client'
import { expect, test } from 'vitest'
import { deliver } from '../../src/loops/deliveries.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import {
  type StartInputs,
  type StartKind,
  type StartPayloads,
  STARTS,
} from '../../workflows/contract.ts'
import * as workflows from '../../workflows/index.ts'

const organizationId = 'the-organization'

/** A kind that was added since has a test of its own. */
const PAYLOADS = {
  start_batch: { batchId: 'b', attempt: 2 },
  start_import: { importId: 'i' },
  verify_connection: { connectionId: 'v' },
  send_notice: { noticeId: 'n' },
  start_erasure: { erasureId: 'e' },
  start_confirmation: { contactId: 'c', topicId: 't', generation: 3 },
  start_cohort: { cohort: 'k', importId: 'i', page: 4 },
  start_execution: { executionId: 'x', attempt: 5, flowId: 'f', contactId: 'c' },
} satisfies Partial<StartPayloads>
type KnownKind = keyof typeof PAYLOADS

/** Delivers a message of the kind, and returns what Temporal was asked. */
async function started(kind: KnownKind, subjects = new Map<string, { name: string | null }>()) {
  const asked: unknown[] = []
  const start = (type: string, options: object) => Promise.resolve(asked.push({ type, ...options }))
  const temporal = { workflow: { start } } as unknown as Client
  const message = { kind, payload: PAYLOADS[kind], organizationId, requestId: 'trace' }
  await deliver({ sql: {} as Sql, temporal, subjects }, message as Parameters<typeof deliver>[1])
  return asked
}

test('Temporal is asked for the workflow, with its id, input, summary and search attributes', async () => {
  const asked = await Promise.all(
    (Object.keys(PAYLOADS) as KnownKind[]).map((kind) => started(kind)),
  )
  const shared = {
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: 'control',
    memo: { requestId: 'trace' },
  }
  const of = (
    type: string,
    workflowId: string,
    input: object,
    staticSummary: string,
    attributes: object,
    priorityKey?: number,
  ) => ({
    ...shared,
    type,
    priority: {
      fairnessKey: organizationId,
      ...(priorityKey === undefined ? {} : { priorityKey }),
    },
    workflowId,
    workflowIdReusePolicy:
      type === 'sendBatch' || type === 'runFlow' ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
    args: [{ organizationId, ...input }],
    staticSummary,
    searchAttributes: { OrganizationId: [organizationId], ...attributes },
  })
  expect(asked.flat()).toEqual([
    of(
      'sendBatch',
      'batch/b/2',
      { batchId: 'b', attempt: 2 },
      'Send batch b',
      { BatchId: ['b'], Kind: ['batch'], AppStatus: ['queued'] },
      2,
    ),
    of(
      'importContacts',
      'import/i',
      { importId: 'i' },
      'Import i',
      { Kind: ['import'], AppStatus: ['pending'] },
      4,
    ),
    of('verifyConnection', 'verify/v', { connectionId: 'v' }, 'Verify connection v', {
      ConnectionId: ['v'],
      Kind: ['verification'],
    }),
    of('sendNotice', 'notice/n', { noticeId: 'n' }, 'Send notice n', { Kind: ['notice'] }),
    of('eraseContact', 'erase/e', { erasureId: 'e' }, 'Erase a contact: e', { Kind: ['erasure'] }),
    of(
      'confirmTopic',
      'confirm/c/t/3',
      { contactId: 'c', topicId: 't', generation: 3 },
      'Confirmation of topic t by contact c',
      { ContactId: ['c'], Kind: ['confirmation'] },
    ),
    of(
      'confirmCohort',
      'confirm-cohort/k',
      { cohort: 'k' },
      'Confirmations of page 4 of import i',
      { Kind: ['confirmation'] },
    ),
    of(
      'runFlow',
      'execution/x/5',
      { executionId: 'x' },
      'Run flow f for contact c',
      {
        ExecutionId: ['x'],
        FlowId: ['f'],
        ContactId: ['c'],
        Kind: ['execution'],
        AppStatus: ['pending'],
      },
      4,
    ),
  ])
})

test('a batch and a flow are called by their names, and a batch has its status', async () => {
  const subjects = new Map([
    ['b', { name: 'Spring', status: 'scheduled' }],
    ['f', { name: 'Welcome' }],
  ])
  expect((await started('start_batch', subjects))[0]).toMatchObject({
    staticSummary: 'Send batch "Spring"',
    searchAttributes: { AppStatus: ['scheduled'] },
  })
  expect((await started('start_execution', subjects))[0]).toMatchObject({
    staticSummary: 'Run flow "Welcome" for contact c',
    searchAttributes: { AppStatus: ['pending'] },
  })
})

test('every workflow that a write starts is one of the bundle, and takes what it is given', () => {
  /** The compiler compares the inputs. */
  const bundled: {
    [Kind in StartKind as (typeof STARTS)[Kind]['type']]: (
      input: StartInputs[Kind],
    ) => Promise<unknown>
  } = workflows
  const types = Object.values(STARTS).map(({ type }) => type)
  expect(Object.keys(bundled)).toEqual(expect.arrayContaining(types))
})
