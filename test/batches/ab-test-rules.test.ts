import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, createBatch, startApi } from '../support/api.ts'
import { seedContacts } from '../support/seed.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  await seedContacts(api.sql, api.alice.organizationId, 120)
})
afterAll(() => api.close())

const abTest = {
  variants: [
    { name: 'Short', subject: 'Hi' },
    { name: 'Own name', fromName: 'Ann', previewText: 'Look' },
  ],
  sharePercent: 50,
  winnerBy: 'clicked',
  decideAfter: { amount: 4, unit: 'hours' },
}
const create = (input: object) =>
  api.alice.post('/v1/batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
    ...input,
  })

test('an A/B test is answered with the content and figures of its variants', async () => {
  const { status, body } = await create({ abTest })
  const none = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0 }
  const plain = { templateId: null, ...none }
  expect([status, body.abTest]).toEqual([
    201,
    {
      ...abTest,
      variants: [
        { ...plain, name: 'Short', subject: 'Hi', fromName: null, previewText: null },
        { ...plain, name: 'Own name', subject: 'News', fromName: 'Ann', previewText: 'Look' },
      ],
      decideAt: null,
      rest: null,
      winner: null,
      decision: null,
    },
  ])
  expect((await api.alice.get(`/v1/batch/${body.id}`)).body).toEqual(body)
})

test.each([
  ['names that are the same', { variants: [{ name: 'A' }, { name: 'A' }] }, 400, 'abTest.variants'],
  ['one variant', { variants: [{ name: 'A' }] }, 422, 'abTest.variants'],
  ['no time', { decideAfter: undefined }, 400, 'abTest.decideAfter'],
  ['a time beside a person', { winnerBy: 'manual' }, 400, 'abTest.decideAfter'],
  ['31 days', { decideAfter: { amount: 31, unit: 'days' } }, 400, 'abTest.decideAfter'],
  ['a share of nobody', { sharePercent: 0 }, 422, 'abTest.sharePercent'],
  ['too few for each variant', { sharePercent: 10 }, 400, 'abTest'],
  [
    'a template beside content',
    { variants: [{ name: 'A', templateId: 'x' }, { name: 'B' }] },
    400,
    'abTest.variants[0].templateId',
  ],
  [
    'a subject that cannot be made',
    { variants: [{ name: 'A', subject: '{{ nobody.knows }}' }, { name: 'B' }] },
    400,
    'subject',
  ],
])('%s is refused', async (_name, changes, status, path) => {
  const answer = await create({ abTest: { ...abTest, ...changes } })
  expect([answer.status, answer.body.details?.[0]?.path]).toEqual([status, path])
})

test('local times and an A/B test cannot be combined', async () => {
  const scheduledFor = '2099-01-01T09:00:00Z'
  const answer = await create({ abTest, timezoneAware: true, scheduledFor })
  expect([answer.status, answer.body.details[0].path]).toEqual([400, 'abTest'])
})

test('the answer of GET can be edited and sent back, and a copy has the same test', async () => {
  const { id } = await createBatch(api.alice, { abTest, scheduledFor: '2099-01-01T09:00:00Z' })
  const { body: before } = await api.alice.get(`/v1/batch/${id}`)
  const same = await api.alice.patch(`/v1/batch/${id}`, { ...before, name: 'Edited' })
  expect([same.status, same.body]).toEqual([
    200,
    { ...before, name: 'Edited', updatedAt: expect.any(String) },
  ])
  const variants = [...abTest.variants, { name: 'Third', subject: 'Three' }]
  const more = await api.alice.patch(`/v1/batch/${id}`, { abTest: { ...abTest, variants } })
  expect(more.body.abTest.variants.map(({ subject }: { subject: string }) => subject)).toEqual([
    'Hi',
    'News',
    'Three',
  ])
  const copy = await api.alice.post(`/v1/batch/${id}/duplicate`)
  expect([copy.status, copy.body.abTest]).toEqual([201, more.body.abTest])
  const none = await api.alice.patch(`/v1/batch/${id}`, { abTest: null })
  expect([none.status, none.body.abTest]).toEqual([200, null])
})

test('a changed field of the batch changes each variant without a field of its own', async () => {
  const { id } = await createBatch(api.alice, {
    abTest,
    fromName: 'Shop',
    scheduledFor: '2099-01-01T09:00:00Z',
  })
  const changes = { subject: 'Other news', fromName: 'Market', previewText: 'Read' }
  const changed = await api.alice.patch(`/v1/batch/${id}`, changes)
  const variants = [
    { name: 'Short', subject: 'Hi', fromName: 'Market', previewText: 'Read' },
    { name: 'Own name', subject: 'Other news', fromName: 'Ann', previewText: 'Look' },
  ]
  expect([changed.status, changed.body]).toMatchObject([200, { abTest: { variants } }])
  const copy = await api.alice.post(`/v1/batch/${id}/duplicate`, { from: 'Bob <news@example.com>' })
  expect([copy.status, copy.body]).toMatchObject([
    201,
    { abTest: { variants: [{ fromName: 'Bob' }, { fromName: 'Ann' }] } },
  ])
  const plain = await api.alice.patch(`/v1/batch/${id}`, { abTest: null })
  expect([plain.status, plain.body]).toMatchObject([200, { ...changes, abTest: null }])
})

test('the winner of a batch with a test is chosen once', async () => {
  const { id } = await createBatch(api.alice, { abTest })
  const choose = (variant: string) => api.alice.post(`/v1/batch/${id}/choose-winner`, { variant })
  expect((await choose('Short')).body.reason).toBe('batch_not_testing')
  await api.sql`update batches set status = 'processing' where id = ${id}`
  expect((await choose('Nobody')).status).toBe(400)
  const chosen = await choose('Own name')
  expect([chosen.status, chosen.body.abTest.winner]).toEqual([200, 'Own name'])
  expect((await choose('Short')).body.reason).toBe('winner_chosen')
  expect(
    (await api.charlie.post(`/v1/batch/${id}/choose-winner`, { variant: 'Short' })).status,
  ).toBe(403)
})
