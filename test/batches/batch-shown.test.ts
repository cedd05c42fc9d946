import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
})
afterAll(() => api.close())

const LATER = new Date(Date.now() + 3_600_000).toISOString()
const said = {
  from: 'news@example.com',
  fromName: 'Doe, Jane',
  replyTo: 'team@example.com',
  subject: 'News',
  previewText: 'Of <this> {{ offer }}',
  htmlContent: '<!doctype html><body class="a>b"><p>Hello {{ contact.firstName }}</p></body>',
  textContent: 'Hello {{ contact.firstName }}',
  variableMappings: [
    { variableName: 'offer', source: { type: 'static', value: 3 } },
    { variableName: 'city', source: { type: 'contact', field: 'properties.city' } },
  ],
}
const create = async (input: object) => {
  const whole = { audienceType: 'all', from: 'news@example.com', scheduledFor: LATER, ...input }
  const { status, body } = await api.alice.post('/v1/batch', whole)
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}
const get = async (id: string) => (await api.alice.get(`/v1/batch/${id}`)).body

test('a batch shows its whole content when it is created, read and cancelled', async () => {
  const created = await create(said)
  expect(created).toMatchObject({ ...said, templateId: null })
  expect(await get(created.id)).toEqual(created)
  const { body } = await api.alice.delete(`/v1/batch/${created.id}`)
  expect(body).toMatchObject({ ...said, status: 'cancelled' })
})

test('the shown content creates the same batch again', async () => {
  const fields = Object.keys(said)
  const again = ({ body }: { body: Record<string, unknown> }) =>
    create(Object.fromEntries(fields.map((name) => [name, body[name]])))
  const first = await create(said)
  const second = await again({ body: first })
  const [one, two] = await api.sql<{ html: string; text: string }[]>`
    select html, text
    from contents
    join batches on content_id = contents.id
    where batches.id in (${first.id}, ${second.id})`
  expect(one?.html).toContain('display:none')
  expect(two).toEqual(one)
})

test('a generated text part and the version of a template are shown as they are sent', async () => {
  const made = await create({ subject: 'News', htmlContent: '<p>Hello</p>' })
  expect(made).toMatchObject({
    fromName: null,
    replyTo: null,
    previewText: null,
    textContent: expect.stringContaining('Hello'),
    variableMappings: [],
  })
  const template = { name: 'T', subject: 'Of the template', source: '<p>Template</p>' }
  const { id: templateId } = (await api.alice.post('/v1/templates', template)).body
  expect(await create({ templateId, previewText: 'Look' })).toMatchObject({
    templateId,
    subject: 'Of the template',
    previewText: 'Look',
    htmlContent: '<p>Template</p>',
    textContent: expect.stringContaining('Template'),
  })
})

test('a list of batches is without their contents, however large they are', async () => {
  const htmlContent = `<p>${'x'.repeat(900_000)}</p>`
  const value = 'y'.repeat(10_000)
  const variableMappings = Array.from({ length: 50 }, (_, n) => ({
    variableName: `v${n}`,
    source: { type: 'static', value },
  }))
  const large = await create({ subject: 'Large', htmlContent, textContent: 'x', variableMappings })
  const { body, text } = await api.alice.get('/v1/batch?pageSize=100')
  const {
    htmlContent: _,
    textContent: __,
    variableMappings: ___,
    abTest,
    progress,
    ...rest
  } = large
  expect([body.data[0], abTest, progress]).toEqual([rest, null, null])
  expect(text.length).toBeLessThan(100_000)
  expect((await get(large.id)).htmlContent).toBe(htmlContent)
})

test('a failed batch that is resumed or discarded shows its whole content', async () => {
  for (const act of ['resume', 'discard']) {
    const { id } = await create(said)
    await api.sql`update batches set status = 'failed', failed_reason = 'x' where id = ${id}`
    const { status, body } = await api.alice.post(`/v1/batch/${id}/${act}`)
    expect([act, status, body]).toEqual([act, 200, expect.objectContaining(said)])
  }
})
