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
import { rateOf, type Sample, secondsLeft, withSample } from '../../src/console/sending/rate.ts'

const draft = { ...EMPTY_DRAFT, subject: 'News', from: 'news@example.com' }

describe('a draft of a batch', () => {
  test('says what is missing, in the order of the page', () => {
    expect(missingOf(EMPTY_DRAFT)).toEqual(['Write a subject', 'Choose a sender'])
    expect(missingOf(draft)).toEqual([])
    expect(missingOf({ ...draft, audience: 'segment', when: 'later' })).toEqual([
      'Choose a segment',
      'Choose a time',
    ])
    expect(missingOf({ ...draft, content: 'template', subject: '' })).toEqual(['Choose a template'])
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

describe('the rate of a batch', () => {
  const samples = (count: number): Sample[] =>
    Array.from({ length: count }, (_, at) => ({ at: at * 2_000, processed: at * 100 }))

  test('is of the last half minute, and a page that is left open does not grow', () => {
    const kept = samples(1_800).reduce<Sample[]>(withSample, [])
    expect(kept.length).toBeLessThanOrEqual(40)
    expect(rateOf(kept)).toBe(50)
    expect(secondsLeft(500, rateOf(kept))).toBe(10)
  })

  test('is not known from one sample, and never below nothing', () => {
    expect(rateOf(samples(1))).toBeUndefined()
    expect(
      rateOf([
        { at: 0, processed: 5 },
        { at: 1_000, processed: 3 },
      ]),
    ).toBe(0)
    expect(secondsLeft(5, 0)).toBeUndefined()
  })
})
