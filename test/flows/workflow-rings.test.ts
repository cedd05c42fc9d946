import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRing, type Linked } from '../../src/domain/flows/rings.ts'
import type { Step, Trigger } from '../../src/domain/flows/flow.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { type Api, startApi } from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'

const asks = (field: string, operator = 'exists', value?: unknown) =>
  ({
    logic: 'OR',
    groups: [
      { filters: [{ field: 'firstName', operator: 'exists' }] },
      {
        filters: [],
        nested: { logic: 'AND', groups: [{ filters: [{ field, operator, value }] }] },
      },
    ],
  }) as Condition
const enters = (segmentId: string): Trigger => ({ type: 'segment_entry', segmentId })
const step = (type: string, config: object): Step => ({ id: 's', name: 's', type, config }) as Step
const sets = (field: string) => step('update_contact', { set: { [field]: 1 } })
const joins = (topicId: string) => step('subscribe_topic', { topicId })
const leaves = (topicId: string) => step('unsubscribe_topic', { topicId })
const COUNTS = step('update_contact', { increment: { 'properties.count': 1 } })
const CLEARS = step('update_contact', { unset: ['properties.a'] })
const becomes = (plan: string) => step('update_contact', { set: { 'properties.plan': plan } })
const MAIL = step('send_email', { subject: 'x' })
const WAIT = step('delay', { amount: 1, unit: 'days' })

const linked = (id: string, trigger: Trigger, steps: Step[], allowReentry = true): Linked => ({
  id,
  name: id,
  trigger,
  steps,
  settings: { allowReentry },
})
const conditions = new Map([
  ['a', asks('properties.a')],
  ['b', asks('properties.b.city')],
  ['mailed', asks('lastEmailSentAt')],
  ['topics', asks('topics')],
  ['count', asks('properties.count', 'greaterThan', 3)],
  ['vip', asks('properties.plan', 'equals', 'vip')],
])
const ringOf = (first: Linked, ...others: Linked[]) =>
  findRing(first, others, conditions)?.map(({ id }) => id)

describe('flows start each other round and round', () => {
  test.each<[string, Linked[], string[]]>([
    [
      'by what they set',
      [
        linked('1', enters('a'), [WAIT, sets('properties.b')]),
        linked('2', enters('b'), [sets('properties.a.x')]),
      ],
      ['1', '2'],
    ],
    ['by a value that is not known before', [linked('1', enters('count'), [COUNTS])], ['1']],
    [
      'by what Liquid writes',
      [linked('1', enters('vip'), [becomes('{{ trigger.data.plan }}')])],
      ['1'],
    ],
    [
      'one by itself',
      [linked('1', { type: 'segment_exit', segmentId: 'a' }, [CLEARS, sets('properties.a')])],
      ['1'],
    ],
    ['by the mail that they send', [linked('1', enters('mailed'), [MAIL])], ['1']],
    [
      'by topics',
      [
        linked('1', { type: 'topic_subscribed', topicId: 'news' }, [leaves('news')]),
        linked('2', { type: 'topic_unsubscribed' }, [joins('news')]),
      ],
      ['1', '2'],
    ],
    [
      'by a topic that a segment asks about, past a third',
      [
        linked('1', enters('a'), [joins('news')]),
        linked('2', enters('topics'), [sets('properties.b')]),
        linked('3', enters('b'), [sets('properties.a')]),
        linked('4', enters('b'), [WAIT]),
      ],
      ['1', '2', '3'],
    ],
  ])('%s', (_, [first, ...others], ring) => {
    expect(ringOf(first!, ...others)).toEqual(ring)
  })

  test.each<[string, Linked[]]>([
    ['what they set is not asked about', [linked('1', enters('a'), [sets('properties.ab'), MAIL])]],
    ['what is set takes contacts out', [linked('1', enters('vip'), [becomes('free')])]],
    [
      'what is set keeps contacts in',
      [linked('1', { type: 'segment_exit', segmentId: 'vip' }, [becomes('vip')])],
    ],
    [
      'the topic is another one',
      [linked('1', { type: 'topic_subscribed', topicId: 'x' }, [joins('y')])],
    ],
    [
      'a contact enters one of them only once',
      [
        linked('1', enters('a'), [sets('properties.b')]),
        linked('2', enters('b'), [sets('properties.a')], false),
      ],
    ],
    ['it enters this one only once', [linked('1', enters('a'), [sets('properties.a')], false)]],
    [
      'the others form a ring, and this one only starts it',
      [
        linked('1', { type: 'topic_subscribed', topicId: 'x' }, [sets('properties.a')]),
        linked('2', enters('a'), [sets('properties.a')]),
      ],
    ],
    ['the segment is gone', [linked('1', enters('gone'), [sets('properties.a')])]],
  ])('not where %s', (_, [first, ...others]) => {
    expect(ringOf(first!, ...others)).toBeUndefined()
  })
})

describe('enabling a workflow', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  test('warns of the ring that it closes, and of none that another organization has', async () => {
    for (const client of [api.alice, api.charlie]) {
      const made = async (side: string, next: string) => {
        const condition = {
          logic: 'AND',
          groups: [{ filters: [{ field: 'properties.side', operator: 'equals', value: side }] }],
        }
        const segment = await client.post('/v1/segments', { name: side, condition })
        expect(segment.status).toBe(201)
        return createFlow(
          client,
          smallFlow({
            name: `To the ${next}`,
            triggerType: 'segment_entry',
            triggerConfig: { segmentId: segment.body.id },
            settings: { allowReentry: true },
            steps: [
              {
                id: 'turn',
                type: 'update_contact',
                name: 'Turn',
                config: { set: { 'properties.side': next } },
              },
            ],
          }),
        )
      }
      const [left, right] = [await made('left', 'right'), await made('right', 'left')]
      const [first, second] = [
        await client.post(`/v1/workflows/${left.id}/enable`),
        await client.post(`/v1/workflows/${right.id}/enable`),
      ]
      expect([first.status, first.body.warnings]).toEqual([200, undefined])
      expect([second.status, second.body.enabled]).toEqual([200, true])
      const warning = {
        reason: 'workflow_ring',
        path: 'triggerConfig',
        message: expect.stringContaining('"To the left", then "To the right", then "To the left"'),
      }
      expect(second.body.warnings).toEqual([warning])
      // A change of what is enabled, and a workflow that is made enabled, are looked at as well.
      const changed = await client.patch(`/v1/workflows/${left.id}`, {
        settings: { allowReentry: true, contactCooldownSeconds: 1 },
      })
      expect(changed.body.warnings).toMatchObject([{ reason: 'workflow_ring' }])
      await client.post(`/v1/workflows/${right.id}/disable`)
      const once = await client.patch(`/v1/workflows/${right.id}`, {
        settings: { allowReentry: false },
        enabled: true,
      })
      expect([once.body.enabled, once.body.warnings]).toEqual([true, undefined])
    }
  })
})
