import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const BROKEN = '<p>{% if %}</p>'
const create = async (input: object = {}) => {
  const named = { name: 'News', subject: 'News', source: '<p>One</p>' }
  return (await api.alice.post('/v1/templates', { ...named, ...input })).body
}
const publish = (id: string, body?: object) => api.alice.post(`/v1/templates/${id}/publish`, body)
const contentOf = async (id: string, version: number) =>
  (
    await api.sql<{ html: string; hash: string; links: string[]; slots: string[] }[]>`
      select html, hash, links, slots
      from template_versions
      join contents on contents.id = content_id
      where template_id = ${id} and version = ${version}`
  )[0]

describe('a draft', () => {
  test('is checked when it is published, and cannot be used before', async () => {
    const draft = await create({ status: 'DRAFT', source: BROKEN })
    expect([draft.status, draft.version, draft.publishedAt]).toEqual(['DRAFT', 0, null])
    const refused = await publish(draft.id)
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'source'])
    await api.alice.patch(`/v1/templates/${draft.slug}`, { source: '<p>Good</p>' })
    const { status, body } = await publish(draft.slug)
    expect([status, body.status, body.version]).toEqual([200, 'PUBLISHED', 1])
  })
})

describe('a change', () => {
  test('is in mail from the next version on, and versions never change', async () => {
    const { id } = await create({
      source: '<a href="https://a.example">{{ contact.firstName }}</a>',
    })
    const first = await contentOf(id, 1)
    expect(first).toMatchObject({ links: ['https://a.example'], slots: ['contact.firstName'] })
    const edited = await api.alice.patch(`/v1/templates/${id}`, { source: BROKEN, subject: null })
    expect(edited.body).toMatchObject({ version: 1, hasUnpublishedChanges: true, subject: null })
    expect((await publish(id)).status).toBe(400)
    await api.alice.patch(`/v1/templates/${id}`, { source: '<p>Two</p>' })
    expect((await publish(id)).body).toMatchObject({ version: 2, hasUnpublishedChanges: false })
    expect(await contentOf(id, 1)).toEqual(first)
    expect((await contentOf(id, 2))?.html).toBe('<p>Two</p>')
  })

  test('that is published twice is one version', async () => {
    const { id } = await create()
    await api.alice.patch(`/v1/templates/${id}`, { source: '<p>Two</p>' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => publish(id)))
    expect(answers.map(({ body }) => body.version)).toEqual([2, 2, 2, 2, 2, 2])
  })

  test('of its variables alone is a version: subjects of batches may use them', async () => {
    const { id } = await create()
    await api.alice.patch(`/v1/templates/${id}`, { variables: [{ name: 'code' }] })
    expect((await publish(id)).body).toMatchObject({ version: 2, hasUnpublishedChanges: false })
    expect((await publish(id)).body.version).toBe(2)
  })

  test('is refused when somebody else was faster', async () => {
    const { id, updatedAt: ifUnmodifiedSince } = await create()
    const answers = await Promise.all(
      ['<p>A</p>', '<p>B</p>', '<p>C</p>'].map((source) =>
        api.alice.patch(`/v1/templates/${id}`, { source, ifUnmodifiedSince }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect((await publish(id, { ifUnmodifiedSince })).body.reason).toBe('modified')
  })

  test('of the slug to one that is taken is a 409, also when two ask at once', async () => {
    const [one, two] = [await create(), await create()]
    const answers = await Promise.all(
      [one, two].map(({ id }) => api.alice.patch(`/v1/templates/${id}`, { slug: 'wanted' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('takes what was read, and changes nothing where nothing is changed', async () => {
    const read = await create()
    const { body } = await api.alice.patch(`/v1/templates/${read.id}`, read)
    expect(body).toEqual(read)
  })
})

test('publishing tells when Gmail would clip the mail, and when styles cannot be inlined', async () => {
  const long = await create({ source: `<p>${'x'.repeat(110_000)}</p>` })
  expect(long.warnings.map(({ reason }: { reason: string }) => reason)).toEqual(['clipped'])
  const links = await create({ source: '<p>Hi</p><a href="http://localhost:3000/">x</a>' })
  expect(links.warnings).toMatchObject([{ reason: 'local_link', path: 'source' }])
  const open = await create({ source: '<style>li{color:red}</style><ul><li>x<li>y</ul>' })
  expect(open.warnings[0].reason).toBe('styles_not_inlined')
})

test('a copy is a draft of what is said now', async () => {
  const { id } = await create({ name: 'News' })
  await api.alice.patch(`/v1/templates/${id}`, { source: BROKEN })
  const { status, body } = await api.alice.post(`/v1/templates/${id}/duplicate`)
  expect(status).toBe(201)
  expect(body).toMatchObject({ name: 'Copy of News', status: 'DRAFT', version: 0, source: BROKEN })
})

describe('an archived template', () => {
  test('is not published, and gets its former status when it is restored', async () => {
    const { id } = await create()
    const archive = await api.alice.patch(`/v1/templates/${id}`, { status: 'ARCHIVED' })
    expect(archive.body.status).toBe('ARCHIVED')
    expect((await publish(id)).body.reason).toBe('template_archived')
    const wrong = await api.alice.patch(`/v1/templates/${id}`, { status: 'DRAFT' })
    expect(wrong.body.reason).toBe('status_not_reachable')
    const back = await api.alice.patch(`/v1/templates/${id}`, { status: 'PUBLISHED' })
    expect(back.body.status).toBe('PUBLISHED')
    const listed = await api.alice.get('/v1/templates?status=ARCHIVED')
    expect(listed.body.data).toEqual([])
  })
})

describe('a template in use', () => {
  const workflow = (templateId: string, enabled: boolean) =>
    api.sql`
      with made as (
        insert into flows (organization_id, id, slug, name, enabled, version, trigger_type, sealed_secret)
        values (${api.alice.organizationId}, ${templateId}, ${templateId}, 'Welcome', ${enabled}, 1, 'api', '')
      )
      insert into flow_versions (organization_id, flow_id, version, definition)
      values (${api.alice.organizationId}, ${templateId}, 1,
        ${api.sql.json({ steps: [{ id: 'a', type: 'send_email', config: { templateId } }] })})`

  test('by an enabled workflow is neither deleted nor archived', async () => {
    const { id } = await create()
    await workflow(id, true)
    const deleted = await api.alice.delete(`/v1/templates/${id}`)
    expect([deleted.status, deleted.body.reason]).toEqual([409, 'template_in_use'])
    expect(deleted.body.error).toContain('the workflow "Welcome"')
    const archived = await api.alice.patch(`/v1/templates/${id}`, { status: 'ARCHIVED' })
    expect(archived.body.reason).toBe('template_in_use')
    await api.sql`update flows set enabled = false where id = ${id}`
    expect((await api.alice.delete(`/v1/templates/${id}`)).body).toEqual({ success: true })
    expect((await api.alice.get(`/v1/templates/${id}`)).status).toBe(404)
  })
})

test('changes of templates are in the audit trail', async () => {
  const { id } = await create()
  await api.alice.patch(`/v1/templates/${id}`, { source: '<p>Two</p>' })
  await publish(id)
  await api.alice.delete(`/v1/templates/${id}`)
  const actions = await api.sql<{ action: string }[]>`
    select action from audit_events where subject_id = ${id} order by id`
  expect(actions.map(({ action }) => action)).toEqual([
    'template.created',
    'template.updated',
    'template.published',
    'template.deleted',
  ])
})

describe('reading versions', () => {
  test('lists what was published, newest first, and shows what each said', async () => {
    const { id, slug } = await create({ subject: 'First' })
    await api.alice.patch(`/v1/templates/${id}`, { source: '<p>Two</p>', subject: 'Second' })
    await publish(id)
    await api.alice.patch(`/v1/templates/${id}`, { source: '<p>Draft</p>', subject: 'Draft' })
    const first = await api.alice.get(`/v1/templates/${slug}/versions?limit=1`)
    expect(first.body.data).toEqual([
      { version: 2, subject: 'Second', publishedAt: expect.any(String) },
    ])
    const cursor = first.body.nextCursor
    const second = await api.alice.get(`/v1/templates/${id}/versions?limit=1&cursor=${cursor}`)
    expect(second.body).toMatchObject({
      data: [{ version: 1, subject: 'First' }],
      nextCursor: null,
    })
    const read = (query: string) => api.alice.get(`/v1/templates/${id}${query}`)
    expect((await read('?version=1')).body).toMatchObject({
      id,
      version: 1,
      subject: 'First',
      source: '<p>One</p>',
      publishedAt: second.body.data[0].publishedAt,
      hasUnpublishedChanges: false,
    })
    expect((await read('')).body).toMatchObject({
      version: 2,
      subject: 'Draft',
      source: '<p>Draft</p>',
      hasUnpublishedChanges: true,
    })
    expect((await read('?version=3')).status).toBe(404)
    expect((await read('?version=0')).status).toBe(400)
  })

  test('a draft that was never published has none', async () => {
    const { id } = await create({ status: 'DRAFT' })
    const { body } = await api.alice.get(`/v1/templates/${id}/versions`)
    expect(body).toEqual({ data: [], nextCursor: null })
  })
})
