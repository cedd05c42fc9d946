import { describe, expect, test } from 'vitest'
import {
  draftOf,
  EMPTY_DRAFT,
  inputOf,
  isWritten,
  missingOf,
  partsWithoutField,
  storedOf,
} from '../../src/console/sending/batch-draft.ts'
import { speedWords, waitSentence } from '../../src/console/sending/batch-words.ts'
import { WAIT_REASONS } from '../../src/domain/batches/progress.ts'

const draft = { ...EMPTY_DRAFT, subject: 'News', from: 'news@example.com' }

const wordsOf = (each: typeof draft): string[] => missingOf(each).map(({ words }) => words)

describe('a draft of a batch', () => {
  test('says what is missing, in the order of the page', () => {
    expect(wordsOf(EMPTY_DRAFT)).toEqual(['Write a subject', 'Choose a sender'])
    expect(missingOf(draft)).toEqual([])
    expect(wordsOf({ ...draft, audience: 'segment', when: 'later' })).toEqual([
      'Choose a segment',
      'Choose a time',
    ])
    expect(wordsOf({ ...draft, content: 'template', subject: '' })).toEqual(['Choose a template'])
  })

  test('is the call that it stands for: what does not count is not in it', () => {
    expect(
      inputOf({ ...draft, segmentId: 'left over', templateId: 'left over', at: '2026-01-01' }),
    ).toEqual({
      audienceType: 'all',
      subject: 'News',
      htmlContent: EMPTY_DRAFT.html,
      from: 'news@example.com',
    })
    const later = inputOf({
      ...draft,
      audience: 'segment',
      segmentId: 's',
      content: 'template',
      templateId: 't',
      subject: '',
      when: 'later',
      at: '2026-11-21T12:00',
    })
    expect(later).toEqual({
      audienceType: 'segment',
      segmentId: 's',
      templateId: 't',
      from: 'news@example.com',
      scheduledFor: new Date('2026-11-21T12:00').toISOString(),
    })
  })
})

describe('a stored draft', () => {
  test('comes back as it was written, however unfinished', () => {
    const written = { ...draft, audience: 'segment' as const, when: 'later' as const, from: 'ne' }
    expect(draftOf(storedOf(written))).toEqual(written)
    expect(draftOf(storedOf(EMPTY_DRAFT))).toEqual(EMPTY_DRAFT)
  })

  test('of a program is read as far as the page has a field for it', () => {
    const input = {
      audienceType: 'segment',
      segmentId: 's',
      templateId: 't',
      scheduledFor: new Date('2026-11-21T12:00').toISOString(),
      subject: 7,
    }
    expect(partsWithoutField(input)).toEqual([])
    expect(draftOf(input)).toMatchObject({
      audience: 'segment',
      content: 'template',
      when: 'later',
      at: '2026-11-21T12:00',
      subject: '',
    })
  })

  test('is not taken apart when it has what the page would lose', () => {
    expect(partsWithoutField({ audienceType: 'contacts', contactIds: ['a'] })).toEqual([
      'audienceType',
      'contactIds',
    ])
    expect(partsWithoutField({ audienceType: 'topic', topicId: 't', abTest: {} })).toEqual([
      'abTest',
    ])
  })

  test('without a whole time is still one for later', () => {
    const input = storedOf({ ...draft, when: 'later', at: '' })
    expect(input['scheduledFor']).toBe('')
    expect(draftOf(input).when).toBe('later')
  })

  test('is stored once somebody has written something', () => {
    expect(isWritten({ ...EMPTY_DRAFT, from: 'news@example.com', cloudAccountId: 'a' })).toBe(false)
    expect(isWritten({ ...EMPTY_DRAFT, subject: 'N' })).toBe(true)
  })
})

describe('how a batch comes on', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z')
  const progress = {
    ratePerSecond: 48.6,
    expectedEnd: '2026-11-21T12:02:05.000Z',
    waitingFor: null,
  }

  test('is said with its rate and the time that is left, as the API reckons them', () => {
    expect(speedWords(progress, now)).toBe('49 a second, about 2 min 05 s left')
    expect(speedWords({ ...progress, ratePerSecond: 0.25, expectedEnd: null }, now)).toBe(
      '0.3 a second',
    )
    expect(speedWords({ ...progress, ratePerSecond: 0, expectedEnd: null }, now)).toBe('')
  })

  test('says what keeps it back, each reason of the wire', () => {
    for (const reason of WAIT_REASONS.filter((each) => each !== 'pause')) {
      const wait = waitSentence({ ...progress, waitingFor: { reason, until: null } })
      expect(wait, reason).toMatch(/^[A-Z][^_]+\.$/)
    }
    const until = '2026-11-21T12:02:05.000Z'
    expect(waitSentence({ ...progress, waitingFor: { reason: 'time', until } })).toMatch(
      /local time; until Nov 21, 2026/,
    )
    // The sentence of its status says so.
    expect(waitSentence({ ...progress, waitingFor: { reason: 'pause', until: null } })).toBe(
      undefined,
    )
  })
})
