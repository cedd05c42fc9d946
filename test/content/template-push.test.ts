import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'

let api: Api
const statements: string[] = []
beforeAll(async () => {
  api = await startApi({}, { onQuery: (query) => void statements.push(query) })
})
afterAll(() => api.close())

const row = (slug: string, source = '<p>One</p>') => ({ slug, name: slug, subject: 'News', source })
const push = (body: object) => api.alice.post('/v1/templates/push', body)
const outcomes = (body: { results: { outcome: string; version: number }[] }) =>
  body.results.map(({ outcome, version }) => [outcome, version])

test('a push creates, updates and publishes by slug; what is the same is no version', async () => {
  expect(outcomes((await push(row('a'))).body)).toEqual([['created', 1]])
  expect(outcomes((await push(row('a'))).body)).toEqual([['unchanged', 1]])
  const { body } = await push({ templates: [row('a', '<p>Two</p>'), row('b')] })
  expect(outcomes(body)).toEqual([
    ['updated', 2],
    ['created', 1],
  ])
})

test('an edit made here is not overwritten, unless it is known or forced', async () => {
  await push(row('edited'))
  const { body: edit } = await api.alice.patch('/v1/templates/edited', { source: '<p>Mine</p>' })
  const refused = await push({ templates: [row('new'), row('edited')] })
  expect([refused.status, refused.body.reason]).toEqual([409, 'edited_since_push'])
  expect(refused.body.details[0].path).toBe('templates[1].slug')
  expect((await api.alice.get('/v1/templates/new')).status).toBe(404)
  const known = await push({ ...row('edited', '<p>Both</p>'), updatedAt: edit.updatedAt })
  expect(outcomes(known.body)).toEqual([['updated', 2]])
  await api.alice.patch('/v1/templates/edited', { source: '<p>Mine</p>' })
  expect(outcomes((await push({ ...row('edited'), force: true })).body)).toEqual([['updated', 3]])
})

test('a template that was only published after the pull counts as unedited', async () => {
  await api.alice.post('/v1/templates', { ...row('publishing'), status: 'DRAFT' })
  const { body } = await api.alice.get('/v1/templates/pull?slug=publishing')
  await api.alice.post('/v1/templates/publishing/publish')
  const [pulled] = body.templates
  expect(outcomes((await push({ ...pulled, source: '<p>Two</p>' })).body)).toEqual([['updated', 2]])
  await api.alice.patch('/v1/templates/publishing', { source: '<p>Mine</p>' })
  const { status } = await push({ ...pulled, source: '<p>Three</p>' })
  expect(status).toBe(409)
})

test('an unchanged archived template stays archived; a changed one is refused', async () => {
  const draft = { ...row('put-away'), status: 'DRAFT' }
  const { id } = (await api.alice.post('/v1/templates', draft)).body
  await api.alice.patch('/v1/templates/put-away', { status: 'ARCHIVED' })
  const { body: pulled } = await api.alice.get('/v1/templates/pull?slug=put-away')
  const again = await push({ templates: pulled.templates })
  expect(outcomes(again.body)).toEqual([['unchanged', 0]])
  const batch = await api.alice.post('/v1/templates/push/batch', { templates: pulled.templates })
  expect(outcomes(batch.body)).toEqual([['unchanged', 0]])
  const refused = await push({ ...pulled.templates[0], source: '<p>Two</p>' })
  expect([refused.status, refused.body.reason]).toEqual([409, 'template_archived'])
  const [found] = await api.sql`
    select status, version,
      (select count(*)::int from template_versions where template_id = t.id) as versions,
      (select count(*)::int from audit_events
        where action = 'template.pushed' and subject_id = t.id::text) as audited
    from templates t
    where id = ${id}`
  expect(found).toEqual({ status: 'ARCHIVED', version: 0, versions: 0, audited: 0 })
})

test('a template that was published, archived and pushed unchanged stays archived', async () => {
  await push(row('retired'))
  await api.alice.patch('/v1/templates/retired', { status: 'ARCHIVED' })
  for (const force of [false, true]) {
    const { body } = await push({ templates: [row('retired')], force })
    expect(outcomes(body)).toEqual([['unchanged', 1]])
  }
  expect((await api.alice.get('/v1/templates/retired')).body.status).toBe('ARCHIVED')
})

/** Templates in each state, of which the last is published and not edited. */
async function everyState() {
  const draft = (slug: string, source: string) =>
    api.alice.post('/v1/templates', { ...row(slug, source), status: 'DRAFT' })
  await draft('state-draft', '<p>Half</p>')
  await draft('state-broken', '{% if %}')
  await draft('state-empty', '{{ nobody.knows }}')
  await push({ templates: [row('state-edited'), row('state-archived'), row('state-news')] })
  await api.alice.patch('/v1/templates/state-edited', { source: '<p>Half {% if</p>' })
  await api.alice.patch('/v1/templates/state-archived', { source: '<p>Half</p>' })
  await api.alice.patch('/v1/templates/state-archived', { status: 'ARCHIVED' })
}

const STATES = {
  'state-archived': ['ARCHIVED', 1, true],
  'state-broken': ['DRAFT', 0, false],
  'state-draft': ['DRAFT', 0, false],
  'state-edited': ['PUBLISHED', 1, true],
  'state-empty': ['DRAFT', 0, false],
}

interface Pulled {
  slug: string
  name: string
  source: string
  status: string
  version: number
  hasUnpublishedChanges: boolean
}

async function pullStates(): Promise<Pulled[]> {
  const { body } = await api.alice.get('/v1/templates/pull?limit=100')
  return body.templates.filter(({ slug }: Pulled) => slug.startsWith('state-'))
}

const statesOf = (templates: Pulled[]) =>
  Object.fromEntries(
    templates.map(({ slug, status, version, hasUnpublishedChanges }) => [
      slug,
      [status, version, hasUnpublishedChanges],
    ]),
  )

test('a push publishes only what it changes, whatever state the others are in', async () => {
  await everyState()
  let version = 1
  for (const { path, options } of [
    { path: 'push', options: {} },
    { path: 'push', options: { force: true } },
    { path: 'push/batch', options: {} },
    { path: 'push/batch', options: { force: true } },
  ]) {
    version += 1
    const templates = (await pullStates()).map((each) =>
      each.slug === 'state-news' ? { ...each, source: `<p>${version}</p>` } : each,
    )
    const { status, body } = await api.alice.post(`/v1/templates/${path}`, {
      templates,
      ...options,
    })
    expect([status, body.success]).toEqual([200, true])
    const changed = body.results.filter(
      (each: Pulled & { outcome: string }) => each.outcome !== 'unchanged',
    )
    expect(changed.map(({ slug }: Pulled) => slug)).toEqual(['state-news'])
    const states = { ...STATES, 'state-news': ['PUBLISHED', version, false] }
    expect(statesOf(body.results)).toEqual(states)
    expect(statesOf(await pullStates())).toEqual(states)
  }
  const [alone] = (await pullStates()).filter(({ slug }) => slug === 'state-broken')
  expect(outcomes((await push(alone!)).body)).toEqual([['unchanged', 0]])
})

test('a name and marks are changed without publishing anything', async () => {
  const templates = (await pullStates()).filter(({ status }) => status !== 'ARCHIVED')
  const before = statesOf(templates)
  const { body } = await push({
    templates: templates.map((each) => ({ ...each, name: 'Renamed', sourceHash: 'h2' })),
  })
  expect(new Set(body.results.map((each: { outcome: string }) => each.outcome))).toEqual(
    new Set(['updated']),
  )
  expect(statesOf(body.results)).toEqual(before)
  expect((await api.alice.get('/v1/templates/state-broken')).body).toMatchObject({
    name: 'Renamed',
    sourceHash: 'h2',
    status: 'DRAFT',
  })
})

test('a draft that is changed is published, and one that does not compile is refused', async () => {
  const templates = (await pullStates()).filter(({ status }) => status === 'DRAFT')
  const finished = templates.map((each) =>
    each.slug === 'state-draft' ? { ...each, source: '<p>Whole</p>' } : each,
  )
  expect(statesOf((await push({ templates: finished })).body.results)).toMatchObject({
    'state-draft': ['PUBLISHED', 1, false],
    'state-broken': ['DRAFT', 0, false],
  })
  const broken = templates.map((each) =>
    each.slug === 'state-broken' ? { ...each, source: '{% for %}' } : each,
  )
  const { status, body } = await push({ templates: broken, force: true })
  expect([status, body.details.length]).toEqual([400, 1])
})

test('a pull has the published version beside what was edited since', async () => {
  const compiled = { slug: 'beside', name: 'B', subject: 'One', compiledHtml: '<p>One</p>' }
  await push({ ...compiled, compiledText: 'One', variables: [{ name: 'month' }] })
  const pull = async () => (await api.alice.get('/v1/templates/pull?slug=beside')).body.templates[0]
  expect(await pull()).toMatchObject({ published: null, hasUnpublishedChanges: false, version: 1 })
  const edit = { source: '<p>Two</p>', subject: 'Two', textContent: null, variables: [] }
  await api.alice.patch('/v1/templates/beside', edit)
  const edited = await pull()
  expect(edited).toMatchObject({ ...edit, status: 'PUBLISHED', hasUnpublishedChanges: true })
  expect(edited.published).toEqual({
    version: 1,
    subject: 'One',
    previewText: null,
    sourceType: 'html',
    textContent: null,
    emailType: 'marketing',
    variables: [{ name: 'month' }],
    compiledHtml: '<p>One</p>',
    compiledText: 'One',
  })
  const [draft] = (await pullStates()).filter(({ slug }) => slug === 'state-broken')
  expect(draft).toMatchObject({ status: 'DRAFT', version: 0, published: null })
  // What was published is no version again.
  const { slug, name } = edited
  const { version: _, ...published } = edited.published
  expect(outcomes((await push({ slug, name, ...published, force: true })).body)).toEqual([
    ['updated', 1],
  ])
  expect((await pull()).published).toBeNull()
})

test('a dry run tells the same and changes nothing', async () => {
  const { body } = await push({ templates: [row('dry')], dryRun: true })
  expect(body.results).toMatchObject([{ slug: 'dry', id: null, outcome: 'created', version: 1 }])
  expect((await api.alice.get('/v1/templates/dry')).status).toBe(404)
})

test('in a batch each row is kept or refused by itself, in a few statements', async () => {
  const good = Array.from({ length: 30 }, (_, n) => row(`batch-${n}`))
  const bad = [{ ...row('broken'), source: '{% if %}' }, { slug: 'Not a slug' }, row('batch-0')]
  statements.length = 0
  const { status, body } = await api.alice.post('/v1/templates/push/batch', {
    templates: [...good, ...bad],
  })
  expect(statements.length).toBeLessThan(20)
  expect([status, body.success, body.results.length]).toEqual([200, false, 30])
  expect(
    body.errorDetails.map(({ index, code }: { index: number; code: string }) => [index, code]),
  ).toEqual([
    [30, 'BAD_REQUEST'],
    [31, 'VALIDATION_FAILED'],
    [32, 'BAD_REQUEST'],
  ])
})

test('compiled HTML is published as it is, and pulled so', async () => {
  const compiledHtml = '<style>p{color:red}</style><p>Hello {{ contact.firstName }}</p>'
  const pushed = { slug: 'compiled', name: 'C', compiledHtml, compiledText: 'Hello' }
  const { body } = await push({ ...pushed, sourceHash: 'abc', cliProjectPath: 'mails/c.tsx' })
  const [content] = await api.sql`
    select html, text from contents
    join template_versions on content_id = contents.id
    where template_id = ${body.results[0].id}`
  expect(content).toEqual({ html: compiledHtml, text: 'Hello' })
  const pulled = await api.alice.get('/v1/templates/pull?slug=compiled')
  expect(pulled.body.templates).toMatchObject([
    { ...pushed, sourceHash: 'abc', cliProjectPath: 'mails/c.tsx' },
  ])
  expect(pulled.body.templates[0].source).toBeUndefined()
})

/** What mail of the newest version of a template is made of. */
async function publishedContent(slug: string) {
  const [content] = await api.sql`
    select c.html, c.text
    from templates t
    join template_versions v on v.template_id = t.id and v.version = t.version
    join contents c on c.id = v.content_id
    where t.slug = ${slug} and t.organization_id = ${api.alice.organizationId}`
  return content
}

const TSX = 'export default ({ name }) => <Html><Text>Hi {name}</Text></Html>'
const COMPILED = '<p>Hi {{ contact.firstName }}</p>'
const MADE_TEXT = expect.stringMatching(/^Hi \{\{/)

test.each([
  ['code with its output', { source: TSX, compiledHtml: COMPILED, compiledText: 'Hi' }, 'Hi'],
  ['an empty text', { source: TSX, compiledHtml: COMPILED, compiledText: '' }, MADE_TEXT],
  ['a blank text', { source: TSX, compiledHtml: COMPILED, compiledText: ' \n' }, MADE_TEXT],
  ['no code', { source: '', compiledHtml: COMPILED, compiledText: null }, MADE_TEXT],
  ['a type without a source', { sourceType: 'mjml', compiledHtml: COMPILED }, MADE_TEXT],
  ['text under its other name', { compiledHtml: COMPILED, textContent: 'Hi' }, 'Hi'],
  [
    'a source with its type',
    { source: COMPILED, sourceType: 'html', compiledHtml: '<i>' },
    MADE_TEXT,
  ],
  ['a source, not compiled', { source: COMPILED, compiledHtml: '', textContent: '' }, MADE_TEXT],
])('what came compiled is mailed: %s', async (words, pushed, text) => {
  const slug = `compiled-${words.replaceAll(/[^a-z]/g, '-')}`
  const marks = { emailType: 'transactional', channel: 'email', sesTemplateName: 'mails-a' }
  const body = { slug, subject: 'Hi', previewText: '', variables: [], sourceHash: 'h', ...marks }
  expect(outcomes((await push({ ...body, ...pushed })).body)).toEqual([['created', 1]])
  expect(await publishedContent(slug)).toEqual({ html: COMPILED, text })
  expect(outcomes((await push({ ...body, ...pushed })).body)).toEqual([['unchanged', 1]])
  const { body: pulled } = await api.alice.get(`/v1/templates/pull?slug=${slug}`)
  expect(pulled.templates).toMatchObject([{ slug, name: slug, previewText: null }])
  expect(outcomes((await push(pulled)).body)).toEqual([['unchanged', 1]])
})

test('a push without a name keeps the one that a template has', async () => {
  await push({ ...row('named'), name: 'A name' })
  const { name: _, ...nameless } = row('named', '<p>Two</p>')
  expect(outcomes((await push(nameless)).body)).toEqual([['updated', 2]])
  expect((await api.alice.get('/v1/templates/named')).body.name).toBe('A name')
})

test.each([
  [{ channel: 'sms' }, 'channel'],
  [{ projectId: 'x' }, 'projectId'],
  [{ variables: [{ name: 'a', type: 'string' }] }, 'variables[0].type'],
])('a push that says %j is refused, naming it', async (more, path) => {
  const { status, body } = await push({ slug: 'foreign', compiledHtml: COMPILED, ...more })
  expect([status, body.details[0].path]).toEqual([422, path])
})

test('a push that says nothing is refused', async () => {
  for (const nothing of [{}, { source: '' }, { compiledHtml: ' ', source: null }]) {
    const { status, body } = await push({ slug: 'nothing', ...nothing })
    expect([status, body.details[0].path]).toEqual([400, 'source'])
  }
})

test('a pulled template can be pushed again, and is the same', async () => {
  const { body } = await api.alice.get('/v1/templates/pull?limit=100')
  const again = await push({ templates: body.templates })
  expect(new Set(outcomes(again.body).map(([outcome]) => outcome))).toEqual(new Set(['unchanged']))
})

test('two pushes of a new template at once make one of it', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => push(row('raced'))))
  expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
  expect((await api.alice.get('/v1/templates/raced')).body.version).toBe(1)
})
