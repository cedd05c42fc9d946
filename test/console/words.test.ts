import { describe, expect, test } from 'vitest'
import { ApiFailure } from '../../src/client/failure.ts'
import { explain } from '../../src/console/lib/explain.ts'
import { ago, bytes, duration } from '../../src/console/lib/format.ts'
import { STATUSES, statusOf } from '../../src/console/lib/statuses.ts'
import { partsOf, sentenceOf } from '../../src/console/sending/batch-words.ts'
import { AccountHealth } from '../../src/schemas/accounts/account-health.ts'
import { Contact } from '../../src/schemas/contacts/contact.ts'
import { Import } from '../../src/schemas/contacts/import.ts'
import { HookDelivery } from '../../src/schemas/hooks/hook-delivery.ts'
import { Batch } from '../../src/schemas/batches/batch.ts'
import { Recipient } from '../../src/schemas/batches/batch-recipients.ts'
import { Email } from '../../src/schemas/mails/email.ts'

/** The words of a status in a schema of the wire. */
const wordsIn = (schema: object): string[] => {
  const { enum: words = [] } = schema as { enum?: (string | null)[] }
  return words.filter((word): word is string => word !== null)
}

test.each([
  ['batch', Batch.properties.status],
  ['mail', Recipient.properties.status],
  ['mail', Email.properties.status],
  ['contact', Contact.properties.emailStatus],
  ['sms', Contact.properties.smsStatus],
  ['health', AccountHealth.properties.status],
  ['import', Import.properties.status],
  ['delivery', HookDelivery.properties.state],
] as const)('every status of the wire has a tone and a word: %s', (list, schema) => {
  const words = wordsIn(schema)
  expect(words.length).toBeGreaterThan(2)
  expect(words.filter((word) => !(word in STATUSES[list]))).toEqual([])
})

test('a status of a newer server is shown as it is', () => {
  expect(statusOf('batch', 'on_hold')).toEqual({ tone: 'waiting', word: 'on hold' })
})

describe('the parts of a batch', () => {
  const batch = {
    status: 'processing' as const,
    paused: false,
    totalRecipients: 100,
    sent: 40,
    failed: 3,
    skipped: 5,
    unknown: 2,
    audienceFrozenAt: '2026-11-21T12:00:00.000Z',
  }
  const sumOf = (parts: Record<string, number>) =>
    Object.values(parts).reduce((sum, each) => sum + each, 0)

  test('are its recipients at every moment', () => {
    expect(partsOf(batch)).toEqual({
      sent: 40,
      failed: 3,
      skipped: 5,
      unknown: 2,
      open: 50,
      cancelled: 0,
    })
    const cancelled = partsOf({ ...batch, status: 'cancelled' })
    expect(cancelled).toMatchObject({ open: 0, cancelled: 50 })
    expect([sumOf(partsOf(batch)), sumOf(cancelled)]).toEqual([100, 100])
  })

  test('are said in a sentence', () => {
    const told = {
      ...batch,
      failedReason: null,
      scheduledFor: null,
      completedAt: null,
      startedAt: null,
    }
    expect(sentenceOf(told, 0)).toBe('Sending: 40 of 100 mails have left.')
    expect(sentenceOf({ ...told, paused: true }, 0)).toMatch(/^Paused after 40 of 100 mails/)
    expect(sentenceOf({ ...told, status: 'failed', failedReason: 'sender_rejected' }, 0)).toMatch(
      /^AWS refuses the sender/,
    )
    expect(sentenceOf({ ...told, status: 'failed', failedReason: 'new_reason' }, 0)).toBe(
      'It stopped: new reason.',
    )
  })
})

describe('failures in words', () => {
  const failure = (status: number, body: object = {}) =>
    explain(
      new ApiFailure(new Response(null, { status }), {
        error: 'The name is too long',
        code: 'BAD_REQUEST',
        requestId: 'r-1',
        ...body,
      }),
    )

  test.each([400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 503])('%i has a title', (status) => {
    const { title, text, requestId } = failure(status)
    expect(title).not.toBe('')
    expect(text).toMatch(/[.…]$/)
    expect(requestId).toBe('r-1')
  })

  test('fields are named, also of a list', () => {
    const details = [{ path: 'steps[0].name', message: 'is too long' }]
    expect(failure(422, { details }).fields).toEqual({ 'steps[0].name': 'is too long' })
  })

  test('what never came back can be tried again', () => {
    expect(explain(new TypeError('Failed to fetch'))).toMatchObject({ canRetry: true, fields: {} })
    expect([failure(503).canRetry, failure(403).canRetry]).toEqual([true, false])
  })
})

test('figures are written as people read them', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  expect([bytes(0), bytes(999), bytes(73_400_320), bytes(1e15)]).toEqual([
    '0 bytes',
    '999 bytes',
    '73.4 MB',
    '1,000 TB',
  ])
  expect([duration(45), duration(125), duration(7_320)]).toEqual([
    '45 s',
    '2 min 05 s',
    '2 h 2 min',
  ])
  expect(ago('2026-11-21T11:57:00Z', now)).toBe('3 minutes ago')
  expect(ago('2026-11-20T12:00:00Z', now)).toBe('yesterday')
  expect(ago('2026-11-21T12:00:10Z', now)).toBe('in a moment')
})
