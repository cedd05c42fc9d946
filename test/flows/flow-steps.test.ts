import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refuseCron } from '../../src/domain/flows/cron.ts'
import { checkDraft } from '../../src/domain/flows/flow-check.ts'
import { hideHeaders, keepHidden } from '../../src/domain/flows/flow-headers.ts'
import type { Step } from '../../src/domain/flows/flow.ts'
import { isTimezone } from '../../src/domain/timezone.ts'
import {
  CONDITION,
  condition,
  DAY,
  delay,
  draft,
  mail,
  SETTINGS,
  told,
  update,
  waiting,
  ways,
  webhook,
} from '../support/flow-drafts.ts'

test.each<[string, Step, string]>([
  [
    'a mail without content',
    { ...mail('a'), config: { from: 'a@example.com', subject: 'S' } } as Step,
    'steps[0].config.html | Step "Mail a" (a): config.html or templateId is required',
  ],
  [
    'a mail without a subject',
    { ...mail('a'), config: { from: 'a@example.com', html: 'x' } } as Step,
    'config.subject is required without templateId',
  ],
  [
    'a mail from nobody',
    { ...mail('a'), config: { subject: 'S', html: 'x' } } as Step,
    'steps[0].config.from | Step "Mail a" (a): config.from is required',
  ],
  [
    'a mail with two contents',
    { ...mail('a'), config: { from: 'a@example.com', html: 'x', templateId: 't' } } as Step,
    'config.html cannot be combined with templateId',
  ],
  [
    'a delay of years',
    { ...delay('a'), config: { amount: 367, unit: 'days' } } as Step,
    'config.amount must not be longer than 366 days',
  ],
  [
    'a wait of years',
    { ...waiting('a'), config: { eventName: 'x', timeout: { amount: 53, unit: 'weeks' } } } as Step,
    'config.timeout must not be longer',
  ],
  [
    'a timezone that there is not',
    { ...delay('a'), config: { until: { time: '09:00', timezone: 'Mars/Base' } } } as Step,
    'config.until.timezone must be contact',
  ],
  [
    'branches of one name',
    {
      id: 's',
      type: 'split',
      name: 'Split',
      config: {
        branches: [
          { name: 'A', weight: 1 },
          { name: 'A', weight: 1 },
        ],
      },
    },
    'steps[0].config.branches[1].name | Step "Split" (s): config.branches[1].name is repeated',
  ],
  [
    'a condition that cannot be',
    { ...condition('a'), config: { condition: { ...CONDITION, logic: 'XOR' } } } as unknown as Step,
    'config.condition.logic must be one of',
  ],
  [
    'a filter about the past',
    {
      ...waiting('a'),
      config: {
        eventName: 'x',
        timeout: DAY,
        filter: {
          logic: 'AND',
          groups: [{ filters: [{ field: 'event.y', operator: 'triggered' }] }],
        },
      },
    } as Step,
    'config.filter.groups[0].filters[0].field event.<name> cannot be used here',
  ],
  ['a change of nothing', update({}), 'config must change something'],
  [
    'a change of the address',
    update({ set: { email: 'b@example.com' } }),
    'steps[0].config.set.email | Step "Update" (u): config.set.email cannot be changed by a workflow',
  ],
  [
    'a change of the status',
    update({ set: { emailStatus: 'active' } }),
    'cannot be changed by a workflow',
  ],
  [
    'a change of the prototype',
    update({ unset: ['constructor'] }),
    'cannot be changed by a workflow',
  ],
  [
    'taking the phone away',
    update({ unset: ['phone'] }),
    'config.unset[0] cannot be changed by a workflow',
  ],
  [
    'counting a name',
    update({ increment: { firstName: 1 } }),
    'config.increment.firstName must be properties.<key>',
  ],
  [
    'a name that is too long',
    update({ set: { firstName: 'x'.repeat(101) } }),
    'must be a text of at most 100',
  ],
  [
    'a channel that there is not',
    update({ set: { preferredChannel: 'fax' } }),
    'must be one of: email, sms',
  ],
  [
    'a field that is changed twice',
    update({ set: { 'properties.a': 1 }, increment: { 'properties.a': 1 } }),
    'config.increment.properties.a is changed already',
  ],
  [
    'an address that is none',
    webhook('h', { url: 'ftp://example.com' }),
    'config.url must be an address',
  ],
  [
    'an address with a password',
    webhook('h', { url: 'https://me:secret@example.com' }),
    'config.url must be an address',
  ],
  [
    'a body where none goes',
    webhook('h', { method: 'GET', body: 'x' }),
    'config.body cannot be used with the method GET',
  ],
  [
    'a header of ours',
    webhook('h', { headers: { 'Webhook-Id': '1' } }),
    'config.headers.Webhook-Id cannot be set',
  ],
  ['the host', webhook('h', { headers: { HOST: 'x' } }), 'cannot be set'],
  [
    'a header that is there twice',
    webhook('h', { headers: { 'x-a': '1', 'X-A': '2' } }),
    'config.headers.X-A is repeated',
  ],
  [
    'a line break in a header',
    webhook('h', { headers: { 'x-a': 'a\r\nb: c' } }),
    'visible US-ASCII',
  ],
])('a step with %s is refused, and named', (_name, step, message) => {
  const found = told(draft([step], []))
  expect(found[0]).toContain(message)
  expect(found[0]).toContain(`Step "${step.name}" (${step.id})`)
  expect(found.length).toBe(1)
})

test('an update of all that may be updated is taken', () => {
  const config = {
    set: { firstName: 'A', preferredChannel: 'sms', 'properties.a.b': { c: [1] } },
    unset: ['lastName', 'properties.d'],
    increment: { 'properties.n': -1.5 },
    append: { 'properties.list': 'x' },
    remove: { 'properties.other': 2 },
  }
  expect(told(draft([update(config)], []))).toEqual([])
})

test('settings and triggers are checked as steps are', () => {
  const steps = [mail('a')]
  const wrong = { logic: 'AND' as const, groups: [] }
  expect(
    told(draft(steps, [], { settings: { ...SETTINGS, exitOn: { events: [], condition: wrong } } })),
  ).toEqual([
    'settings.exitOn.condition.groups | settings.exitOn.condition.groups must be a list of at least one group',
  ])
  expect(told(draft(steps, [], { trigger: { type: 'event', name: 'x', filter: wrong } }))).toEqual([
    'triggerConfig.filter.groups | triggerConfig.filter.groups must be a list of at least one group',
  ])
  expect(
    told(draft(steps, [], { trigger: { type: 'schedule', cron: '* *', timezone: 'utc' } })),
  ).toEqual([
    'triggerConfig.cron | triggerConfig.cron must have five fields: minute, hour, day of the month, month, day of the week',
    'triggerConfig.timezone | triggerConfig.timezone must be an IANA timezone such as Europe/Berlin',
  ])
})

describe('cron', () => {
  test.each([
    '* * * * *',
    '*/15 9-17 * * mon-fri',
    '0 9 1,15 * *',
    '0 0 29 feb *',
    '59 23 31 12 *',
    '5-50/7 */2 * JAN,JUL 0',
  ])('%s is taken', (cron) => {
    expect(refuseCron(cron)).toBeUndefined()
  })
  test.each([
    ['* * * *', 'five fields'],
    ['0 * * * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of the month'],
    ['* * * 13 *', 'month'],
    ['*/0 * * * *', 'minute'],
    ['5/10 * * * *', 'minute'],
    ['9-5 * * * *', 'minute'],
    ['1,,2 * * * *', 'minute'],
    ['* * L * *', 'day of the month'],
    ['0 0 30 2 *', 'none of its months'],
    ['0 0 31 4,6 *', 'none of its months'],
  ])('%s is refused: %s', (cron, message) => {
    expect(refuseCron(cron)).toContain(message)
  })
  test('whatever is given is judged in no time', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(refuseCron(`x${text}`)).toBeTypeOf('string')
      }),
    )
  })
})

test('timezones are those of IANA, spelt as it does', () => {
  for (const name of [
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Asia/Kolkata',
    'Etc/GMT+1',
  ]) {
    expect(isTimezone(name), name).toBe(true)
  }
  for (const name of [
    '',
    'utc',
    'europe/berlin',
    'Mars/Base',
    '+01:00',
    'X'.repeat(80),
    'Europe/../UTC',
  ]) {
    expect(isTimezone(name), name).toBe(false)
  }
})

test('headers are hidden, and a hidden one keeps the value that it had', () => {
  const { definition } = checkDraft(
    draft(
      [webhook('h', { headers: { 'x-key': 'secret', accept: '*/*' } }), mail('a')],
      ways('h>a'),
    ),
  )
  const hidden = hideHeaders(definition!)
  expect(JSON.stringify(hidden.definition)).not.toContain('secret')
  expect(hidden.definition.steps[0]).toMatchObject({
    config: { headers: { 'x-key': '***', accept: '***' } },
  })
  expect([...hidden.headers]).toEqual([['h', { 'x-key': 'secret', accept: '*/*' }]])
  const former = hidden.headers.get('h')
  expect(keepHidden({ 'x-key': '***', accept: 'text/html', 'x-new': '***' }, former)).toEqual([
    ['x-key', 'secret'],
    ['accept', 'text/html'],
    ['x-new', undefined],
  ])
})
