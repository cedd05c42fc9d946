import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contactStatus, delta, learn, type MailFacts } from '../../src/domain/delivery/delivery.ts'
import { parseSesEvent, type SesEvent, toDetail } from '../../src/domain/delivery/ses-event.ts'
import { EVENT_KINDS, higher, LOG_STATUSES, worse } from '../../src/domain/status.ts'

const blank: MailFacts = {
  state: 'claimed',
  status: 'pending',
  reason: null,
  error: null,
  messageId: null,
  sentAt: null,
  claimedAt: null,
  deliveredAt: null,
  openedAt: null,
  humanOpenedAt: null,
  clickedAt: null,
  humanClickedAt: null,
  bouncedAt: null,
  bounceType: null,
  bounceSubType: null,
  complainedAt: null,
}

const event = (kind: SesEvent['kind'], more: Partial<SesEvent> = {}): SesEvent => ({
  kind,
  messageId: 'm-1',
  subject: undefined,
  mailTimestamp: '2026-11-21T10:00:00.000Z',
  occurredAt: '2026-11-21T10:00:05.000Z',
  tagged: undefined,
  probeId: undefined,
  isTrial: false,
  isUntagged: false,
  recipients: [],
  bounceType: undefined,
  bounceSubType: undefined,
  isMachine: false,
  isOwnLink: false,
  isNoComplaint: false,
  distinct: 'm-1',
  data: {},
  ...more,
})

const after = (facts: MailFacts, events: SesEvent[]): MailFacts => events.reduce(learn, facts)

/** A mail that was called again may be accepted twice; two of one millisecond differ by the id. */
const ACCEPTANCES = [
  { messageId: 'm-1', mailTimestamp: '2026-11-21T10:00:00.000Z' },
  { messageId: 'm-2', mailTimestamp: '2026-11-21T10:00:00.000Z' },
  { messageId: 'm-0', mailTimestamp: '2026-11-21T10:01:00.000Z' },
]

const anyEvent = fc
  .record({
    kind: fc.constantFrom(...EVENT_KINDS),
    second: fc.integer({ min: 0, max: 50 }),
    bounce: fc.constantFrom(
      ['Permanent', 'General'],
      ['Permanent', 'OnAccountSuppressionList'],
      ['Transient', 'MailboxFull'],
      ['Undetermined', 'Undetermined'],
    ),
    complaint: fc.constantFrom(
      {},
      { isNoComplaint: true },
      { bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' },
    ),
    isMachine: fc.boolean(),
    isOwnLink: fc.boolean(),
    reason: fc.constantFrom(undefined, 'Bad content', 'Virus'),
    acceptance: fc.constantFrom(...ACCEPTANCES),
  })
  .map(({ kind, second, bounce: [bounceType, bounceSubType], ...more }) =>
    event(kind, {
      ...more.acceptance,
      occurredAt: new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString(),
      ...(kind === 'bounce' ? { bounceType, bounceSubType } : {}),
      ...(kind === 'complaint' ? more.complaint : {}),
      ...(kind === 'open' || kind === 'click' ? { isMachine: more.isMachine } : {}),
      ...(kind === 'click' ? { isOwnLink: more.isOwnLink } : {}),
      ...(kind === 'reject' && more.reason !== undefined ? { data: { reason: more.reason } } : {}),
    }),
  )

describe('the state of a mail', () => {
  it('is the same in any order and however often its events come', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (events, random) => {
          const shuffled = [...events, ...events]
            .map((each) => ({ each, key: random.next().value }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ each }) => each)
          expect(after(blank, shuffled)).toEqual(after(blank, events))
        },
      ),
    )
  })

  it('knows a mail whose call was answered by that answer, else by the first acceptance', () => {
    const [first, second, later] = ACCEPTANCES
    const told = (facts: MailFacts) => ({
      messageId: facts.messageId,
      mailTimestamp: facts.sentAt,
    })
    for (const one of ACCEPTANCES) {
      const both = [event('send', second), event('delivery', one), event('send', first)]
      expect(told(after(blank, both))).toEqual(first)
    }
    const answered = {
      ...blank,
      state: 'sent' as const,
      status: 'sent' as const,
      messageId: 'm-0',
      sentAt: later?.mailTimestamp ?? '',
      claimedAt: '2026-11-21T10:00:59.000Z',
    }
    expect(told(learn(answered, event('send', first)))).toEqual(later)
  })

  it('moves counters by the difference, so that their sum is what the mails are', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
        let facts = blank
        const sum = { sent: 0, delivered: 0, opened: 0, bounced: 0, suppressed: 0 }
        for (const each of events) {
          const next = learn(facts, each)
          const moved = delta(facts, next)
          for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += moved[name]
          facts = next
        }
        expect(sum.sent).toBe(Number(facts.state === 'sent'))
        expect(sum.delivered).toBe(Number(facts.deliveredAt !== null))
        expect(sum.opened).toBe(Number(facts.openedAt !== null))
        const { bouncedAt, bounceType, deliveredAt, openedAt, clickedAt, complainedAt } = facts
        const isAutoReply =
          bounceType === 'Transient' &&
          [deliveredAt, openedAt, clickedAt, complainedAt].some((time) => time !== null)
        expect(sum.bounced + sum.suppressed).toBe(Number(bouncedAt !== null && !isAutoReply))
      }),
    )
  })

  it.each([
    ['an unknown outcome', { state: 'unknown' as const }],
    ['a row put back in the queue', { state: 'queued' as const, status: 'queued' as const }],
    [
      'a row given up',
      { state: 'failed' as const, status: 'failed' as const, reason: 'unknown_outcome' },
    ],
  ])('any event proves that SES accepted: %s becomes sent', (_, before) => {
    const facts = { ...blank, ...before }
    const known = learn(facts, event('delivery'))
    expect(known).toMatchObject({
      state: 'sent',
      status: 'delivered',
      messageId: 'm-1',
      reason: null,
    })
    expect(delta(facts, known)).toMatchObject({
      sent: 1,
      failed: before.state === 'failed' ? -1 : 0,
      unknown: before.state === 'unknown' ? -1 : 0,
      delivered: 1,
    })
  })

  it('knows that a mail was sent that was skipped after an earlier try of it', () => {
    const skipped = {
      ...blank,
      state: 'skipped' as const,
      status: 'opted_out' as const,
      reason: 'unsubscribed',
    }
    const known = learn(skipped, event('delivery'))
    expect(known).toMatchObject({ state: 'sent', status: 'delivered', reason: null })
    expect(delta(skipped, known)).toMatchObject({ sent: 1, skipped: -1, failed: 0, unknown: 0 })
    expect(delta(known, learn(known, event('send')))).toMatchObject({ sent: 0, skipped: 0 })
  })

  it('keeps a bounce, a suppression and a complaint above a later open or click', () => {
    const bounced = learn(
      blank,
      event('bounce', { bounceType: 'Permanent', bounceSubType: 'General' }),
    )
    expect(after(bounced, [event('open'), event('click'), event('delivery')]).status).toBe(
      'bounced',
    )
    expect(after(blank, [event('complaint'), event('click')]).status).toBe('complained')
  })
})

describe('the effect of an event on the contact', () => {
  it.each([
    [event('bounce', { bounceType: 'Permanent', bounceSubType: 'General' }), 'bounced'],
    [
      event('bounce', { bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' }),
      'suppressed',
    ],
    [event('bounce', { bounceType: 'Transient', bounceSubType: 'MailboxFull' }), undefined],
    [event('complaint'), 'complained'],
    [event('complaint', { isNoComplaint: true }), undefined],
    [event('open'), undefined],
  ])('%#: %j', (each, status) => {
    expect(contactStatus(each)).toBe(status)
  })
})

describe('ranks', () => {
  it('answer the same whoever comes first', () => {
    for (const a of LOG_STATUSES) {
      for (const b of LOG_STATUSES) {
        if (['pending', 'opted_out'].includes(a) && ['pending', 'opted_out'].includes(b)) continue
        expect(higher(a, b)).toBe(higher(b, a))
      }
    }
    expect(worse('complained', 'bounced')).toBe('complained')
    expect(worse('active', 'unsubscribed')).toBe('unsubscribed')
  })
})

describe('reading an event', () => {
  const bucket = '01a1fde4-05db-7761-b5b9-384200000000'
  const id = '01a1fde4-05db-7761-b5b9-384200000007'
  const mail = {
    timestamp: '2026-11-21T10:00:00.5Z',
    messageId: '0102-x',
    tags: {
      'letterloom-message': [`${bucket}_${id}`],
      'letterloom-organization': ['01a1fde4-05b8-7247-9861-61377ec09a69'],
    },
  }

  it('takes the tag, the times and what happened', () => {
    expect(
      parseSesEvent({
        eventType: 'Bounce',
        mail,
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          timestamp: '2026-11-21T10:00:03.000Z',
          feedbackId: 'f-1',
          bouncedRecipients: [{ emailAddress: 'somebody@example.com' }],
        },
      }),
    ).toEqual({
      kind: 'bounce',
      messageId: '0102-x',
      mailTimestamp: '2026-11-21T10:00:00.500Z',
      occurredAt: '2026-11-21T10:00:03.000Z',
      tagged: { bucket, id, organizationId: '01a1fde4-05b8-7247-9861-61377ec09a69' },
      isTrial: false,
      isUntagged: false,
      recipients: ['somebody@example.com'],
      bounceType: 'Permanent',
      bounceSubType: 'General',
      isMachine: false,
      isOwnLink: false,
      isNoComplaint: false,
      distinct: '0102-x f-1 ',
      data: { bounceType: 'Permanent', bounceSubType: 'General', feedbackId: 'f-1' },
    })
  })

  it('names those whom the event is about, once each, and not our own trials', () => {
    const destination = ['a@example.com', 'B <b@Example.com>', 'success@simulator.amazonses.com']
    const about = (eventType: string, part: object = {}, to: unknown = destination) =>
      parseSesEvent({ eventType, mail: { ...mail, destination: to }, ...part })?.recipients
    const both = ['a@example.com', 'b@example.com']
    expect(about('Send')).toEqual(both)
    expect(about('Delivery', { delivery: { recipients: ['b@example.com '] } })).toEqual([both[1]])
    const complained = [{ emailAddress: 'A@example.com' }, { emailAddress: 'a@example.com' }]
    expect(about('Complaint', { complaint: { complainedRecipients: complained } })).toEqual([
      both[0],
    ])
    expect(about('Open')).toEqual([])
    expect(about('Open', {}, ['a@example.com'])).toEqual([both[0]])
    const wrong = [null, 7, {}, '', 'nobody', 'a b@example.com', `${'a'.repeat(400)}@b.example`]
    expect(about('Send', {}, [...wrong, '\ud800@b.example', '\u0000@b.example'])).toEqual([])
    expect(about('Send', {}, 'a@example.com')).toEqual([])
    const many = Array.from({ length: 100 }, (_, n) => `reader-${n}@example.com`)
    expect(about('Send', {}, many)).toHaveLength(50)
  })

  it('reads the stored part of an event as the event itself', () => {
    const parts = {
      Bounce: { bounce: { bounceType: 'Transient', bounceSubType: 'General', feedbackId: 'f' } },
      Complaint: { complaint: { complaintSubType: 'OnAccountSuppressionList', feedbackId: 'f' } },
      Click: { click: { link: 'https://letterloom.example/x', userAgent: 'Mail' } },
      Reject: { reject: { reason: 'Bad content' } },
      Send: { send: {} },
    }
    for (const [eventType, part] of Object.entries(parts)) {
      const { tags: _tags, ...untagged } = mail
      const event = parseSesEvent({ eventType, mail: untagged, ...part })
      if (!event) throw new Error('it is an event')
      const { messageId, mailTimestamp: timestamp, subject = null } = event
      const again = parseSesEvent(toDetail(event, { messageId, timestamp, subject }))
      expect(again).toEqual({ ...event, recipients: [] })
    }
  })

  it.each([
    [null],
    ['text'],
    [{}],
    [{ eventType: 'Send' }],
    [{ eventType: 'Send', mail: { messageId: 'x', timestamp: 'yesterday' } }],
    [{ eventType: 'Subscription', mail }],
    [{ eventType: 'Send', mail: [] }],
  ])('is nothing for %j', (detail) => {
    expect(parseSesEvent(detail)).toBeUndefined()
  })

  it.each(['x_y', `${'-'.repeat(36)}_${'-'.repeat(36)}`, `${bucket}_${id}0`, ''])(
    'has no tag when ours is malformed: %j',
    (tag) => {
      const tags = { 'letterloom-message': [tag] }
      expect(parseSesEvent({ eventType: 'Send', mail: { ...mail, tags } })?.tagged).toBeUndefined()
    },
  )

  it('keeps nothing that Postgres would refuse', () => {
    const open = { userAgent: `${'x'.repeat(999)}😀\u0000`, timestamp: '2026-11-21T10:00:03.000Z' }
    const userAgent = parseSesEvent({ eventType: 'Open', mail, open })?.data['userAgent']
    expect(userAgent).toBe('x'.repeat(999))
    for (const timestamp of [
      '0000-01-01T00:00:00Z',
      '+012345-01-01T00:00:00Z',
      '9999-12-31T00:00:00Z',
    ]) {
      expect(parseSesEvent({ eventType: 'Send', mail: { ...mail, timestamp } })).toBeUndefined()
    }
    const messageId = 'm'.repeat(256)
    expect(parseSesEvent({ eventType: 'Send', mail: { ...mail, messageId } })).toBeUndefined()
  })
})
