import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi, tally } from '../support/api.ts'
import { createFlow, flowInput, smallFlow } from '../support/flow-inputs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const push = (workflows: object[], options: object = {}) =>
  api.alice.post('/v1/workflows/push', { workflows, ...options })
const pull = async (slug: string) =>
  (await api.alice.get(`/v1/workflows/pull?slug=${slug}`)).body.workflows[0]
const get = async (slug: string) => (await api.alice.get(`/v1/workflows/${slug}`)).body
const patch = (slug: string, body: object) => api.alice.patch(`/v1/workflows/${slug}`, body)

describe('a push', () => {
  test('creates, updates and leaves what is the same', async () => {
    const first = await push([
      flowInput({ slug: 'one', sourceHash: 'h1' }),
      smallFlow({ slug: 'two' }),
    ])
    expect(first.body).toEqual({
      success: true,
      dryRun: false,
      results: [
        { slug: 'one', id: expect.any(String), outcome: 'created', version: 1 },
        { slug: 'two', id: expect.any(String), outcome: 'created', version: 1 },
      ],
    })
    expect(await get('one')).toMatchObject({ enabled: false, pushedAt: expect.any(String) })
    await api.alice.post('/v1/workflows/two/enable')
    const settings = { allowReentry: true }
    const { body } = await push([
      flowInput({ slug: 'one', sourceHash: 'h2' }),
      smallFlow({ slug: 'two', settings }),
      smallFlow({ slug: 'three' }),
    ])
    expect(body.results).toMatchObject([
      { slug: 'one', outcome: 'unchanged', version: 1 },
      { slug: 'two', outcome: 'updated', version: 2 },
      { slug: 'three', outcome: 'created', version: 1 },
    ])
    expect(await get('two')).toMatchObject({ enabled: true, settings })
    expect((await pull('one')).sourceHash).toBe('h2')
  })

  test('of what was pulled changes nothing, headers included', async () => {
    await push([flowInput({ slug: 'pulled' })])
    const pulled = await pull('pulled')
    expect(pulled.steps[3].config.headers).toEqual({ authorization: '***' })
    const { body } = await push([pulled])
    expect(body.results).toMatchObject([{ outcome: 'unchanged', version: 1 }])
    pulled.steps[3].name = 'Renamed'
    expect((await push([pulled])).body.results).toMatchObject([{ outcome: 'updated', version: 2 }])
    expect((await pull('pulled')).steps[3]).toMatchObject({
      name: 'Renamed',
      config: { headers: { authorization: '***' } },
    })
  })

  test('of what was pulled is taken when what it names is deleted since', async () => {
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'topics', operator: 'hasTopic', value: 'gone-asked' }] }],
    }
    const made = async (path: string, body: object) =>
      (await api.alice.post(`/v1/${path}`, body)).body.id as string
    const template = { name: 'Gone', subject: 'Gone', source: '<p>Gone</p>' }
    const [templateId, topicId, askedId, segmentId] = await Promise.all([
      made('templates', template),
      made('topics', { name: 'Gone', slug: 'gone' }),
      made('topics', { name: 'Gone, asked', slug: 'gone-asked' }),
      made('segments', {
        name: 'Gone',
        condition: {
          logic: 'AND',
          groups: [{ filters: [{ field: 'company', operator: 'exists' }] }],
        },
      }),
    ])
    const end = { id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }
    const naming = (slug: string, step: object, more: object = {}) => ({
      ...smallFlow({ slug, ...more }),
      steps: [{ id: 'first', name: 'First', ...step }, end],
      transitions: [{ from: 'first', to: 'end' }],
    })
    const FROM = 'hello@example.com'
    const flows = [
      naming('names-template', { type: 'send_email', config: { from: FROM, templateId } }),
      naming('names-topic', { type: 'subscribe_topic', config: { topicId } }),
      {
        ...naming('asks-topic', { type: 'condition', config: { condition } }),
        transitions: [{ from: 'first', to: 'end', branch: 'yes' }],
      },
      smallFlow({ slug: 'exits', settings: { exitOn: { condition } } }),
      smallFlow({
        slug: 'names-segment',
        triggerType: 'segment_entry',
        triggerConfig: { segmentId },
      }),
      flowInput({ slug: 'names-nothing' }),
    ]
    const { body: pushed } = await push(flows)
    const slugs: string[] = pushed.results.map(({ slug }: { slug: string }) => slug)
    const gone = [`templates/${templateId}`, `topics/${topicId}`, `topics/${askedId}`]
    for (const path of [...gone, `segments/${segmentId}`]) {
      const { status } = await api.alice.delete(`/v1/${path}`)
      expect([path, status]).toEqual([path, 200])
    }
    const pulled: { slug: string; name: string; steps: { name: string }[] }[] = await Promise.all(
      slugs.map(pull),
    )
    for (const options of [{}, { force: true }, { dryRun: true }]) {
      const { status, body } = await push(pulled, options)
      expect([
        status,
        tally(body.results.map((each: { outcome: string }) => each.outcome)),
      ]).toEqual([200, { unchanged: pulled.length }])
    }
    const { body: page } = await api.alice.get('/v1/workflows/pull?limit=100')
    expect((await api.alice.post('/v1/workflows/push', page)).body.success).toBe(true)
    const renamed = await push(pulled.map((each) => ({ ...each, name: 'Renamed' })))
    expect(renamed.body.results.map((each: { version: number }) => each.version)).toEqual(
      pulled.map(() => 1),
    )
    const whole = await get('names-template')
    expect((await patch('names-template', { ...whole, name: 'Mine' })).status).toBe(200)
    // Whoever changes the steps has to mend them.
    const [first, ...others] = pulled
    first!.steps[1]!.name = 'The end'
    const changed = await push([first!, ...others], { force: true })
    expect([changed.status, changed.body.details]).toEqual([
      400,
      [
        {
          path: 'workflows[0].steps[0].config.templateId',
          message: expect.stringContaining('does not exist'),
        },
      ],
    ])
  })

  test('takes what clients that compile code send with it', async () => {
    const position = { x: 0, y: 0 }
    const mail = (id: string, config: object) => ({
      id,
      type: 'send_email',
      name: id,
      position,
      config: { subject: 'Hello', html: '<p>Hello</p>', ...config },
    })
    const input = {
      slug: 'compiled',
      name: 'Compiled',
      sourceTs: 'export default workflow({})',
      sourceHash: 'h1',
      cliProjectPath: 'workflows/compiled.ts',
      triggerType: 'event',
      triggerConfig: { eventName: 'signed_up' },
      steps: [
        mail('plain', {}),
        mail('own', { from: 'Own <own@example.com>' }),
        mail('answered', { replyTo: 'answers@example.com' }),
        { ...flowInput().steps[1], position },
        { ...flowInput().steps[2], position },
      ],
      transitions: [
        { id: 'a', fromStepId: 'plain', toStepId: 'own' },
        { id: 'b', fromStepId: 'own', toStepId: 'answered' },
        { id: 'c', fromStepId: 'answered', toStepId: 'wait' },
        { id: 'd', fromStepId: 'wait', toStepId: 'bought', condition: { branch: 'yes' } },
      ],
      defaults: { from: 'hello@example.com', fromName: 'Hello', replyTo: 'reply@example.com' },
      draft: true,
      force: false,
    }
    expect((await api.alice.post('/v1/workflows/push', input)).body.results).toMatchObject([
      { outcome: 'created' },
    ])
    const sender = { from: 'hello@example.com', fromName: 'Hello' }
    const made = await get('compiled')
    expect(made.steps.slice(0, 3)).toMatchObject([
      { config: { ...sender, replyTo: 'reply@example.com' } },
      { config: { from: 'own@example.com', fromName: 'Own', replyTo: 'reply@example.com' } },
      { config: { ...sender, replyTo: 'answers@example.com' } },
    ])
    expect(made.transitions.at(-1)).toEqual({ from: 'wait', to: 'bought', branch: 'yes' })
    expect(made.enabled).toBe(false)
    expect((await push([input])).body.results).toMatchObject([{ outcome: 'unchanged' }])
    await patch('compiled', { description: 'Edited' })
    expect((await push([input])).status).toBe(409)
    expect((await push([{ ...input, force: true }])).body.results).toMatchObject([
      { outcome: 'updated' },
    ])
  })

  test.each([
    [{ draft: false }, 'draft'],
    [{ defaults: { from: 'nobody' } }, 'defaults.from'],
    [{ defaults: { account: 'x' } }, 'defaults.account'],
    [{ schedule: '0 9 * * *' }, 'schedule'],
    [{ triggerConfig: { schedule: '0 9 * * *' } }, 'triggerConfig.schedule'],
    [{ transitions: [{ condition: { field: 'a' } }] }, 'transitions[0].condition'],
  ])('that says %j is refused, naming it', async (more, path) => {
    for (const [body, where] of [
      [smallFlow({ slug: 'foreign', ...more }), path],
      [{ workflows: [smallFlow({ slug: 'foreign', ...more })] }, `workflows[0].${path}`],
    ] as const) {
      const { status, body: answer } = await api.alice.post('/v1/workflows/push', body)
      const paths: string[] = answer.details.map((each: { path: string }) => each.path)
      expect([status, paths.some((each) => each.startsWith(where))]).toEqual([422, true])
    }
  })

  test('over what was edited here is refused, and changes none of them', async () => {
    await push([smallFlow({ slug: 'edited' }), smallFlow({ slug: 'quiet' })])
    await patch('edited', { settings: { allowReentry: true } })
    const mine = smallFlow({ slug: 'edited', name: 'Mine' })
    const refused = await push([smallFlow({ slug: 'quiet', name: 'Loud' }), mine])
    expect([refused.status, refused.body.reason]).toEqual([409, 'edited_since_push'])
    expect(refused.body.details).toEqual([
      { path: 'workflows[1].slug', message: 'names edited, which was edited here' },
    ])
    expect((await get('quiet')).name).toBe('Small')
    expect(await get('edited')).toMatchObject({ name: 'Small', version: 2 })
    expect((await push([mine], { force: true })).body.results).toMatchObject([
      { outcome: 'updated', version: 3 },
    ])
    // From now on it is what was pushed.
    expect((await push([{ ...mine, name: 'Again' }])).status).toBe(200)
  })

  test('that knows what was edited here is taken', async () => {
    await push([smallFlow({ slug: 'known' })])
    await patch('known', { description: 'Edited' })
    const pulled = await pull('known')
    expect((await push([{ ...pulled, name: 'Mine' }])).body.results).toMatchObject([
      { outcome: 'updated' },
    ])
    await patch('known', { description: 'Edited again' })
    expect((await push([{ ...pulled, name: 'Mine too' }])).status).toBe(409)
  })

  test('of what was made here and never pushed is refused, unless it is the same', async () => {
    await createFlow(api.alice, smallFlow({ slug: 'ours' }))
    expect((await push([smallFlow({ slug: 'ours', name: 'Other' })])).status).toBe(409)
    expect((await push([smallFlow({ slug: 'ours' })])).body.results[0].outcome).toBe('unchanged')
    expect((await push([smallFlow({ slug: 'ours', name: 'Other' })])).status).toBe(200)
  })

  test('is no matter of turning on and off', async () => {
    await push([smallFlow({ slug: 'switched' })])
    await api.alice.post('/v1/workflows/switched/enable')
    await patch('switched', { enabled: false })
    expect((await push([smallFlow({ slug: 'switched', name: 'Other' })])).status).toBe(200)
  })

  test('that was pulled before somebody turned it on is taken', async () => {
    await createFlow(api.alice, smallFlow({ slug: 'enabled-since' }))
    const pulled = await pull('enabled-since')
    await api.alice.post('/v1/workflows/enabled-since/enable')
    const { status, body } = await push([{ ...pulled, name: 'Mine' }])
    expect([status, body.results]).toMatchObject([200, [{ outcome: 'updated' }]])
    expect(await get('enabled-since')).toMatchObject({ name: 'Mine', enabled: true })
  })

  test('as a trial says what would be, and does nothing', async () => {
    await push([smallFlow({ slug: 'tried' })])
    const before = [await get('tried'), (await api.sql`select from flows`).count]
    const { body } = await push(
      [smallFlow({ slug: 'tried', settings: { allowReentry: true } }), smallFlow({ slug: 'new' })],
      { dryRun: true },
    )
    expect(body).toEqual({
      success: true,
      dryRun: true,
      results: [
        { slug: 'tried', id: before[0].id, outcome: 'updated', version: 2 },
        { slug: 'new', id: null, outcome: 'created', version: 1 },
      ],
    })
    expect([await get('tried'), (await api.sql`select from flows`).count]).toEqual(before)
    expect(
      (await push([{ ...smallFlow({ slug: 'new' }), triggerType: 'event' }], { dryRun: true }))
        .status,
    ).toBe(400)
  })

  test('with mistakes is refused whole, workflow and step named', async () => {
    const broken = smallFlow({
      slug: 'broken',
      transitions: [{ from: 'end', to: 'end' }],
    })
    const { status, body } = await push([smallFlow({ slug: 'fine' }), broken])
    expect([status, body.reason]).toEqual([400, 'definition_invalid'])
    expect(body.details).toEqual([
      {
        path: 'workflows[1].transitions[0].branch',
        message: 'broken: Step "End" (end): no step can follow an exit',
      },
    ])
    expect((await api.alice.get('/v1/workflows/fine')).status).toBe(404)
    const twins = await push([smallFlow({ slug: 'twin' }), smallFlow({ slug: 'twin' })])
    expect([twins.status, twins.body.details[0].path]).toEqual([400, 'workflows[1].slug'])
    const shape = await push([
      smallFlow({ slug: 'a' }),
      smallFlow({ slug: 'b', steps: [{ id: 'x', type: 'exit', name: 'X', config: {} }] }),
    ])
    expect([shape.status, shape.body.details[0]]).toEqual([
      422,
      {
        path: 'workflows[1].steps[0].config.outcome',
        message: 'Step "X" (x): config.outcome is required',
      },
    ])
  })

  test('twice at once makes one of each', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => push([smallFlow({ slug: 'race-a' }), smallFlow({ slug: 'race-b' })])),
    )
    const outcomes = answers.flatMap(({ body }) =>
      body.results.map(({ outcome }: { outcome: string }) => outcome),
    )
    expect(tally(outcomes)).toEqual({ created: 2, unchanged: 4 })
  })

  test('never reaches another organization’s workflow of the same slug', async () => {
    await createFlow(api.charlie, smallFlow({ slug: 'shared', name: 'Theirs' }))
    await push([smallFlow({ slug: 'shared', name: 'Ours' })])
    expect((await api.charlie.get('/v1/workflows/shared')).body.name).toBe('Theirs')
    expect((await api.charlie.get('/v1/workflows/pull')).body.workflows.length).toBe(1)
  })
})

test('a pull has all of them, by pages', async () => {
  const slugs: string[] = []
  let cursor = ''
  do {
    const { body } = await api.alice.get(`/v1/workflows/pull?limit=2${cursor}`)
    slugs.push(...body.workflows.map(({ slug }: { slug: string }) => slug))
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
  } while (cursor !== '')
  const { count } = await api.sql`
    select from flows where organization_id = ${api.alice.organizationId}`
  expect([slugs.length, new Set(slugs).size]).toEqual([count, count])
})
