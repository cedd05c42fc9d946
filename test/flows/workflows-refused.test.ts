import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { flowInput, smallFlow, webhookConfig } from '../support/flow-inputs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = (input: object) => api.alice.post('/v1/workflows', input)
const count = async () => (await api.sql`select from flows`).count

/** A workflow whose step, after a beginning, has this type and config. */
const withStep = (type: string, config: object) =>
  smallFlow({
    steps: [
      { id: 'begin', type: 'delay', name: 'Begin', config: { amount: 1, unit: 'hours' } },
      { id: 'it', type, name: 'The step', config },
    ],
    transitions: [{ from: 'begin', to: 'it' }],
  })
const mail = (changes: object) =>
  withStep('send_email', { from: 'a@example.com', subject: 'S', html: '<p>x</p>', ...changes })
const condition = (filter: object) =>
  withStep('condition', { condition: { logic: 'AND', groups: [{ filters: [filter] }] } })

const wait = (filter: object) =>
  withStep('wait_for_event', {
    eventName: 'ordered',
    filter: { logic: 'AND', groups: [{ filters: [filter] }] },
    timeout: { amount: 1, unit: 'days' },
  })

describe('is refused by its shape, the step named', () => {
  test.each<[string, object, string, string]>([
    ['no steps', smallFlow({ steps: [] }), 'steps', 'fewer than 1'],
    [
      'a type that there is not',
      withStep('send_letter', {}),
      'steps[1].type',
      'Step "The step" (it): type must be one of: send_email, send_sms',
    ],
    [
      'no sender',
      mail({ from: 'nobody' }),
      'steps[1].config.from',
      'Step "The step" (it): config.from must be an email address',
    ],
    [
      'a field of another type',
      withStep('exit', { outcome: 'completed', url: 'x' }),
      'steps[1].config.url',
      'Step "The step" (it): config.url is unknown',
    ],
    [
      'a weight of nothing',
      withStep('split', {
        branches: [
          { name: 'A', weight: 0 },
          { name: 'B', weight: 1 },
        ],
      }),
      'steps[1].config.branches[0].weight',
      'must be at least 0.001',
    ],
    [
      'one branch',
      withStep('split', { branches: [{ name: 'A', weight: 1 }] }),
      'steps[1].config.branches',
      'fewer than 2',
    ],
    [
      'a time that there is not',
      withStep('delay', { until: { time: '24:00', timezone: 'UTC' } }),
      'steps[1].config.until.time',
      'must be a time of day such as 09:30',
    ],
    [
      'an operator that there is not',
      condition({ field: 'email', operator: 'like' }),
      'steps[1].config.condition.groups[0].filters[0].operator',
      'Step "The step" (it): config.condition.groups[0].filters[0].operator must be one of: equals',
    ],
    [
      'too long a call',
      withStep('webhook', { ...webhookConfig, timeoutSeconds: 31 }),
      'steps[1].config.timeoutSeconds',
      'must be at most 30',
    ],
    [
      'a setting that there is not',
      smallFlow({ settings: { speed: 1 } }),
      'settings.speed',
      'is unknown',
    ],
  ])('%s: %#', async (_name, input, path, message) => {
    const before = await count()
    const { status, body } = await create(input)
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED'])
    const detail = body.details.find((each: { path: string }) => each.path === path)
    expect(detail?.message, JSON.stringify(body.details)).toContain(message)
    expect(await count()).toBe(before)
  })

  test('and what other types want is not told', async () => {
    const { body } = await create(withStep('exit', { outcome: 'won' }))
    expect(body.details).toEqual([
      {
        path: 'steps[1].config.outcome',
        message:
          'Step "The step" (it): config.outcome must be one of: completed, cancelled, failed',
      },
    ])
    expect(body.error).toBe(body.details[0].message)
  })

  test.each<[string, object, string[]]>([
    [
      'a span',
      { amount: 3, unit: 'day' },
      ['config.unit must be one of: minutes, hours, days, weeks'],
    ],
    ['a span with more', { amount: 3, unit: 'days', at: 9 }, ['config.at is unknown']],
    ['half a span', { amount: 3 }, ['config.unit is required']],
    ['half a time of day', { until: { time: '09:00' } }, ['config.until.timezone is required']],
    [
      'nothing',
      {},
      ['config.amount is required', 'config.unit is required', 'config.until is required'],
    ],
  ])('nor what the other kind of delay wants: %s', async (_name, config, messages) => {
    const { body } = await create(withStep('delay', config))
    expect(body.details.map(({ message }: { message: string }) => message)).toEqual(
      messages.map((message) => `Step "The step" (it): ${message}`),
    )
  })
})

describe('is refused by a rule', () => {
  test.each<[string, object, string, string]>([
    [
      'an event without a name',
      smallFlow({ triggerType: 'event' }),
      'triggerConfig.eventName',
      'is required by the trigger event',
    ],
    [
      'what belongs to another trigger',
      smallFlow({ triggerConfig: { cron: '* * * * *' } }),
      'triggerConfig.cron',
      'cannot be used with the trigger api',
    ],
    [
      'a segment that does not exist',
      smallFlow({ triggerType: 'segment_entry', triggerConfig: { segmentId: uuidv7() } }),
      'triggerConfig.segmentId',
      'does not exist',
    ],
    [
      'no segment',
      smallFlow({ triggerType: 'segment_exit' }),
      'triggerConfig.segmentId',
      'is required by the trigger segment_exit',
    ],
    [
      'a schedule of a segment',
      smallFlow({
        triggerType: 'schedule',
        triggerConfig: { cron: '0 9 * * *', segmentId: uuidv7() },
      }),
      'triggerConfig.segmentId',
      'does not exist',
    ],
    [
      'a schedule that is none',
      smallFlow({ triggerType: 'schedule', triggerConfig: { cron: '@hourly' } }),
      'triggerConfig.cron',
      'triggerConfig.cron must have five fields',
    ],
    [
      'a topic that nobody has',
      smallFlow({ triggerType: 'topic_subscribed', triggerConfig: { topicId: uuidv7() } }),
      'triggerConfig.topicId',
      'triggerConfig.topicId does not exist',
    ],
    [
      'a step without its topic',
      withStep('subscribe_topic', {}),
      'steps[1].config.topicId',
      'Step "The step" (it): config.topicId or topicSlug is required',
    ],
    [
      'a value with a variable that nobody knows',
      withStep('update_contact', { set: { firstName: '{{ trigger.first }}' } }),
      'steps[1].config.set.firstName',
      'Step "The step" (it): config.set.firstName: Unknown variable "trigger.first" (line 1',
    ],
    [
      'a value deep in an object that cannot be rendered',
      withStep('update_contact', { set: { 'properties.a': { b: ['x', '{{ contact.x | y }}'] } } }),
      'steps[1].config.set.properties.a.b[1]',
      'undefined filter: y',
    ],
    [
      'a value to append with a tag that nothing closes',
      withStep('update_contact', { append: { 'properties.a': '{% if contact.email %}' } }),
      'steps[1].config.append.properties.a',
      'not closed',
    ],
    [
      'a value to remove that only mails know',
      withStep('update_contact', { remove: { 'properties.a': '{{ unsubscribeUrl }}' } }),
      'steps[1].config.remove.properties.a',
      'Unknown variable "unsubscribeUrl": a value may use contact, trigger, event',
    ],
    [
      'more Liquid than one step may have',
      withStep('update_contact', { set: { 'properties.a': Array(101).fill('{{ event.name }}') } }),
      'steps[1].config.set.properties.a[0]',
      'More than 100 values of this step are Liquid',
    ],
    [
      'a value that is nested too deep',
      withStep('update_contact', {
        append: { 'properties.a': JSON.parse(`${'['.repeat(8)}1${']'.repeat(8)}`) },
      }),
      'steps[1].config.append.properties.a',
      'must not be nested deeper than 7',
    ],
    [
      'a wait for a value that cannot be rendered',
      wait({ field: 'event.properties.cart', operator: 'equals', value: '{{ cart.id }}' }),
      'steps[1].config.filter.groups[0].filters[0].value',
      'config.filter.groups[0].filters[0].value: Unknown variable "cart.id" (line 1, column 4)',
    ],
    [
      'a wait for one of several that cannot be rendered',
      wait({ field: 'event.properties.cart', operator: 'inList', value: ['a', '{{ b }}'] }),
      'steps[1].config.filter.groups[0].filters[0].value[1]',
      'Unknown variable "b"',
    ],
    [
      'a wait for a value where there is none',
      wait({ field: 'event.properties.cart', operator: 'exists', value: '{{ event.name }}' }),
      'steps[1].config.filter.groups[0].filters[0].value',
      'cannot be combined with exists',
    ],
    [
      'a condition with a value of Liquid where none is rendered',
      condition({ field: 'createdAt', operator: 'lessThan', value: '{{ trigger.data.x }}' }),
      'steps[1].config.condition.groups[0].filters[0].value',
      'must be a date or time',
    ],
    [
      'a slug that nobody has',
      withStep('unsubscribe_topic', { topicSlug: 'nobody' }),
      'steps[1].config.topicSlug',
      'Step "The step" (it): config.topicSlug does not exist',
    ],
    [
      'a condition about no topic',
      condition({ field: 'topics', operator: 'hasTopic', value: 'nobody' }),
      'steps[1].config.condition.groups[0].filters[0].value',
      'Step "The step" (it): config.condition: nobody is not the id or slug of a topic',
    ],
    [
      'an operator that does not fit',
      condition({ field: 'topics', operator: 'equals', value: 'x' }),
      'steps[1].config.condition.groups[0].filters[0].operator',
      'cannot be used with the field topics',
    ],
    [
      'a template that nobody has',
      mail({ html: undefined, templateId: uuidv7() }),
      'steps[1].config.templateId',
      'Step "The step" (it): config.templateId does not exist',
    ],
    [
      'an account that nobody has',
      mail({ cloudAccountId: uuidv7() }),
      'steps[1].config.cloudAccountId',
      'is not an account of this organization',
    ],
    [
      'broken Liquid',
      mail({ html: '<p>{% if %}</p>' }),
      'steps[1].config.html',
      'Step "The step" (it): config.html: ',
    ],
    [
      'an unknown variable',
      mail({ subject: '{{ nobody }}' }),
      'steps[1].config.subject',
      'Unknown variable "nobody"',
    ],
    [
      'a webhook at a port of something else',
      withStep('webhook', { ...webhookConfig, url: 'https://sales.example.com:25/hook' }),
      'steps[1].config.url',
      'Step "The step" (it): config.url cannot be called: The port is not allowed',
    ],
    [
      'a webhook at a host that is no name',
      withStep('webhook', { ...webhookConfig, url: 'https://-sales-.example.com/' }),
      'steps[1].config.url',
      'Step "The step" (it): config.url cannot be called: The host is not a public domain name',
    ],
    [
      'a header of the connection’s',
      withStep('webhook', { ...webhookConfig, headers: { 'accept-encoding': 'gzip' } }),
      'steps[1].config.headers.accept-encoding',
      'cannot be set',
    ],
    [
      'broken Liquid in a webhook',
      withStep('webhook', { ...webhookConfig, body: '{{ a' }),
      'steps[1].config.body',
      'Step "The step" (it): config.body: ',
    ],
    [
      'a control character in a subject',
      mail({ subject: 'x\u0085' }),
      'steps[1].config.subject',
      'control characters',
    ],
    [
      'a field that there is not',
      condition({ field: 'x', operator: 'exists' }),
      'steps[1].config.condition.groups[0].filters[0].field',
      'is not a field',
    ],
    [
      'two names that differ',
      smallFlow({ transitions: [{ from: 'trigger', fromStepId: 'end', to: 'end' }] }),
      'transitions[0].from',
      'differs from its alias',
    ],
    [
      'half a transition',
      smallFlow({ transitions: [{ to: 'end' }] }),
      'transitions[0].from',
      'is required',
    ],
    [
      'a header that was never there',
      withStep('webhook', { ...webhookConfig, headers: { 'x-a': '***' } }),
      'steps[1].config.headers.x-a',
      'has no former value',
    ],
  ])('%s: %#', async (_name, input, path, message) => {
    const before = await count()
    const { status, body } = await create(input)
    expect([status, body.code], JSON.stringify(body)).toEqual([400, 'BAD_REQUEST'])
    expect(body.reason).toBe('definition_invalid')
    expect(body.details[0]).toMatchObject({ path, message: expect.stringContaining(message) })
    expect(body.error).toContain(body.details[0].message)
    expect(await count()).toBe(before)
  })

  test('by each of its problems at once', async () => {
    const input = flowInput()
    const steps = input.steps.map((step) => ({
      ...step,
      id: step.id === 'call' ? 'wait' : step.id,
    }))
    const { body } = await create({ ...input, steps })
    expect(body.details.length).toBeGreaterThan(1)
    expect(body.details[0].message).toBe('Step "Tell sales" (wait): another step has this id')
  })
})

test('a resource of another organization is forbidden, and nothing is saved', async () => {
  const { body: topic } = await api.charlie.post('/v1/topics', { name: 'Theirs' })
  const { body: template } = await api.charlie.post('/v1/templates', {
    name: 'Theirs',
    subject: 'S',
    source: '<p>x</p>',
  })
  const { connectionId } = await connectAccount(api.charlie)
  const before = await count()
  for (const input of [
    smallFlow({ triggerType: 'topic_subscribed', triggerConfig: { topicId: topic.id } }),
    withStep('subscribe_topic', { topicId: topic.id }),
    mail({ html: undefined, templateId: template.id }),
    mail({ cloudAccountId: connectionId }),
  ]) {
    const { status, body } = await create(input)
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  }
  const bySlug = await create(withStep('subscribe_topic', { topicSlug: topic.slug }))
  expect(bySlug.status).toBe(400)
  expect(await count()).toBe(before)
})

test('a variable that neither the template nor the step’s subject has is refused by its name', async () => {
  const { body: template } = await api.alice.post('/v1/templates', {
    name: 'Coupons',
    subject: 'S',
    source: '<p>{{ coupon }}</p>',
    variables: [{ name: 'coupon', fallback: 'none' }],
  })
  const saved = (variables: object, subject?: string) =>
    create(mail({ html: undefined, subject, templateId: template.id, variables }))
  const { status, body } = await saved({ cuopon: 'A1', coupon: 'A1' })
  expect([status, body.details]).toEqual([
    400,
    [
      {
        path: 'steps[1].config.variables.cuopon',
        message: 'Step "The step" (it): config.variables.cuopon is not a variable of the template',
      },
    ],
  ])
  expect((await saved({ coupon: 'A1', year: 2026 }, 'Of {{ year }}')).status).toBe(201)
})

test('as many steps as the limit says are taken, and one more is not', async () => {
  const chain = (length: number) => {
    const steps = Array.from({ length }, (_, n) => ({
      id: `s${n}`,
      type: 'delay',
      name: `Step ${n}`,
      config: { amount: 1, unit: 'minutes' },
    }))
    const transitions = steps.slice(1).map(({ id }, n) => ({ from: `s${n}`, to: id }))
    return smallFlow({ steps, transitions })
  }
  expect((await create(chain(200))).status).toBe(201)
  expect((await create(chain(201))).status).toBe(422)
})

test('no key that only reads, sends or keeps contacts writes workflows', async () => {
  const { organizationId } = api.alice
  for (const scopes of [['read'], ['contacts', 'send', 'events']]) {
    const client = await api.client(organizationId, scopes)
    const { status, body } = await client.post('/v1/workflows', smallFlow())
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
  }
})

test('values of Liquid are saved as they are written, whatever they will be', async () => {
  const long = `{% if contact.firstName %}${'{{ contact.firstName }}'.repeat(10)}{% endif %}`
  const config = {
    set: {
      firstName: long,
      preferredChannel: '{{ trigger.data.channel }}',
      'properties.list': ['{{ trigger.data.items }}', { a: '{{ event.properties.b.c }}' }],
    },
  }
  const { status, body } = await create(withStep('update_contact', config))
  expect([status, body.steps?.[1].config]).toEqual([201, config])
  for (const [operator, value] of [
    ['greaterThan', '{{ trigger.data.total }}'],
    ['inList', '{{ trigger.data.list }}'],
    ['contains', '{{ contact.properties.x }}'],
  ]) {
    const filter = { field: 'event.properties.x', operator, value }
    const saved = await create(wait(filter))
    expect([saved.status, saved.body.steps?.[1].config.filter.groups[0].filters[0]]).toEqual([
      201,
      filter,
    ])
  }
})
