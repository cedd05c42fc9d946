import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = (input: object) =>
  api.alice.post('/v1/templates', { name: 'News', source: '<p>News</p>', ...input })

test('a template is published at once as version 1', async () => {
  const input = {
    name: 'Newsletter for Ada',
    subject: 'Hello {{ contact.firstName | default: "there" }}',
    previewText: 'What is new',
    source: '<p>Hello {{ contact.firstName | default: "there" }}, {{ offer }}</p>',
    variables: [{ name: 'offer', fallback: 'nothing today' }],
  }
  const { status, body } = await create(input)
  expect(status).toBe(201)
  expect(body).toEqual({
    ...input,
    id: expect.any(String),
    slug: 'newsletter-for-ada',
    sourceType: 'html',
    emailType: 'marketing',
    textContent: null,
    status: 'PUBLISHED',
    version: 1,
    hasUnpublishedChanges: false,
    sourceHash: null,
    cliProjectPath: null,
    sesTemplateName: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    publishedAt: expect.any(String),
  })
  expect((await api.alice.get(`/v1/templates/${body.id}`)).body).toEqual(body)
  expect((await api.alice.get('/v1/templates/newsletter-for-ada')).body).toEqual(body)
  const versions = await api.sql`
    select contents.html
    from template_versions
    join contents on contents.id = content_id
    where template_id = ${body.id} and version = 1`
  expect(versions.length).toBe(1)
})

test('a slug that was asked for and is taken is 409, one made of the name is made to fit', async () => {
  expect((await create({ slug: 'mine' })).status).toBe(201)
  const taken = await create({ slug: 'mine' })
  expect([taken.status, taken.body.reason]).toEqual([409, 'slug_taken'])
  expect((await create({ name: 'Mine' })).body.slug).toMatch(/^mine-[0-9a-f]{8}$/)
  expect((await create({ name: 'Größe & Maß' })).body.slug).toBe('gro-e-ma')
  expect((await create({ name: '日本' })).body.slug).toBe('template')
})

describe('is refused', () => {
  test.each([
    ['broken Liquid', { source: '<p>{% if %}</p>' }, 400, 'source'],
    ['an unknown variable', { source: '<p>{{ nobody }}</p>' }, 400, 'source'],
    ['broken Liquid in the subject', { subject: '{{ contact.firstName' }, 400, 'subject'],
    ['HTML that is said to be MJML', { sourceType: 'mjml' }, 400, 'source'],
    ['a slug that is a path', { slug: 'push' }, 409, 'slug'],
    ['a line break in the subject', { subject: 'a\r\nBcc: b@example.com' }, 422, 'subject'],
    ['a slug in capitals', { slug: 'News' }, 422, 'slug'],
    ['no source', { source: undefined }, 422, 'source'],
  ])('%s', async (_name, input, status, path) => {
    const answer = await create({ name: 'Refused', ...input })
    expect([answer.status, answer.body.details[0].path]).toEqual([status, path])
  })

  test('and leaves neither a template nor a content', async () => {
    const { body } = await api.alice.get('/v1/templates?limit=100')
    expect(body.data.some(({ name }: { name: string }) => name === 'Refused')).toBe(false)
    const [count] = await api.sql<{ lone: number }[]>`
      select count(*) as lone
      from contents
      where not exists (select from template_versions where content_id = contents.id)`
    expect(count?.lone).toBe(0)
  })
})

test('the list is newest first, without sources, and a cursor walks through it', async () => {
  const names: string[] = []
  let cursor = ''
  for (;;) {
    const { body } = await api.alice.get(`/v1/templates?limit=2${cursor}`)
    for (const template of body.data) {
      expect(template).not.toHaveProperty('source')
      names.push(template.id)
    }
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(names).toEqual([...names].sort().toReversed())
  expect(new Set(names).size).toBe(names.length)
})

test('a stranger gets 403 for an id and 404 for a slug', async () => {
  const { body } = await create({ slug: 'secret' })
  expect((await api.charlie.get(`/v1/templates/${body.id}`)).status).toBe(403)
  expect((await api.charlie.get('/v1/templates/secret')).status).toBe(404)
  expect((await api.charlie.get('/v1/templates')).body.data).toEqual([])
  expect((await api.alice.get(`/v1/templates/${uuidv7()}`)).status).toBe(404)
})
