import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, connectAccount, createBatch, createContact, startApi } from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
let contactId: string
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  contactId = (await createContact(api.alice, { email: 'ada@example.com' })).id
})
afterAll(() => api.close())

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const schedule = async (input: object = {}) =>
  (await createBatch(api.alice, { scheduledFor: at(1), name: 'News', ...input })).id
const patch = (id: string, body: object) => api.alice.patch(`/v1/batch/${id}`, body)
const get = async (id: string) => (await api.alice.get(`/v1/batch/${id}`)).body
const publishTemplate = async (subject: string) => {
  const { body } = await api.alice.post('/v1/templates', {
    name: 'T',
    subject,
    source: `<p>${subject}</p>`,
  })
  return body.id
}

describe('a scheduled batch is changed', () => {
  test('to another time, and everything else stays', async () => {
    const id = await schedule({ throttlePerSecond: 7, previewText: 'Look' })
    const before = await get(id)
    const { status, body } = await patch(id, { scheduledFor: at(2) })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      scheduledFor: body.scheduledFor,
      updatedAt: body.updatedAt,
    })
    expect(Date.parse(body.scheduledFor)).toBeGreaterThan(Date.parse(before.scheduledFor))
    expect(await get(id)).toEqual(body)
  })

  test('after its time has passed while it was paused: the time stays, a new one must be in the future', async () => {
    const id = await schedule()
    await api.alice.post(`/v1/batch/${id}/pause`)
    const scheduledFor = at(-2)
    await api.sql`update batches set scheduled_for = ${scheduledFor} where id = ${id}`
    const { status, body } = await patch(id, { subject: 'Late news' })
    expect([status, body]).toMatchObject([200, { subject: 'Late news', scheduledFor }])
    const earlier = await patch(id, { scheduledFor: at(-1) })
    expect([earlier.status, earlier.body.details?.[0]?.path]).toEqual([400, 'scheduledFor'])
  })

  test('by the edited answer of GET: nothing else changes, and read-only fields are ignored', async () => {
    const templateId = await publishTemplate('From the template')
    for (const content of [{}, { templateId, htmlContent: undefined, subject: undefined }]) {
      const id = await schedule({ ...content, audienceType: 'contacts', contactIds: [contactId] })
      const before = await get(id)
      const { status, body } = await patch(id, { ...before, name: 'Edited' })
      expect([status, body]).toEqual([
        200,
        { ...before, name: 'Edited', updatedAt: expect.any(String) },
      ])
    }
  })

  test('in every field that creation takes', async () => {
    const id = await schedule()
    const topicId = await seedTopic(api.sql, api.alice.organizationId)
    const templateId = await publishTemplate('Another')
    const scheduledFor = at(30)
    const changed = {
      name: 'Other',
      from: 'Ann <ann@example.com>',
      replyTo: 'bob@example.com',
      scheduledFor,
      throttlePerSecond: 3,
    }
    const answer = await patch(id, {
      ...changed,
      audienceType: 'topic',
      topicId,
      templateId,
      timezoneAware: true,
      timezone: 'Europe/Berlin',
    })
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        ...changed,
        from: 'ann@example.com',
        fromName: 'Ann',
        audience: { type: 'topic' },
        topicId,
        templateId,
        subject: 'Another',
        htmlContent: '<p>Another</p>',
        timezoneAware: true,
        timezone: 'Europe/Berlin',
        totalRecipients: 0,
      },
    ])
    const back = await patch(id, {
      audienceType: 'all',
      htmlContent: '<p>Own</p>',
      replyTo: null,
      throttlePerSecond: null,
      timezoneAware: null,
    })
    expect([back.status, back.body]).toMatchObject([
      200,
      {
        audience: { type: 'all' },
        topicId: null,
        templateId: null,
        subject: 'Another',
        htmlContent: '<p>Own</p>',
        replyTo: null,
        throttlePerSecond: null,
        timezoneAware: false,
        timezone: null,
        totalRecipients: 1,
      },
    ])
  })

  test('not by values that creation refuses, and not after another change', async () => {
    const id = await schedule()
    const before = await get(id)
    const refused: [object, number, string][] = [
      [{ scheduledFor: at(-1) }, 400, 'scheduledFor'],
      [{ timezoneAware: true, scheduledFor: null }, 400, 'scheduledFor'],
      [{ timezone: 'Europe/Berlin' }, 400, 'timezone'],
      [{ timezoneAware: true, timezone: 'Mars/Base' }, 400, 'timezone'],
      [{ audienceType: 'topic' }, 400, 'topicId'],
      [{ subject: '{{ nobody.knows }}' }, 400, 'subject'],
      [{ throttlePerSecond: 0 }, 422, 'throttlePerSecond'],
      [{ from: null }, 422, 'from'],
      [{ ifUnmodifiedSince: at(-1) }, 409, 'ifUnmodifiedSince'],
    ]
    for (const [body, status, path] of refused) {
      const answer = await patch(id, body)
      expect([body, answer.status, answer.body.details?.[0]?.path]).toEqual([body, status, path])
    }
    expect(await get(id)).toEqual(before)
    expect((await patch(id, { name: 'x', ifUnmodifiedSince: before.updatedAt })).status).toBe(200)
  })
})

describe('a copy', () => {
  test('keeps the version of the template, and takes changes', async () => {
    const templateId = await publishTemplate('First')
    const { id } = await createBatch(api.alice, {
      name: 'Weekly',
      templateId,
      htmlContent: undefined,
      subject: undefined,
      throttlePerSecond: 5,
    })
    const { body } = await api.alice.post(`/v1/batch/${id}/duplicate`)
    expect(body).toMatchObject({
      name: 'Copy of Weekly',
      templateId,
      subject: 'First',
      throttlePerSecond: 5,
      paused: true,
      scheduledFor: null,
    })
    const scheduledFor = at(3)
    const changed = await api.alice.post(`/v1/batch/${id}/duplicate`, {
      name: 'Mine',
      subject: 'Second',
      scheduledFor,
    })
    expect([changed.status, changed.body]).toMatchObject([
      201,
      { name: 'Mine', subject: 'Second', scheduledFor, status: 'scheduled', paused: true },
    ])
    const resumed = await api.alice.post(`/v1/batch/${changed.body.id}/resume`)
    expect(resumed.body).toMatchObject({ status: 'scheduled', paused: false, scheduledFor })
  })
})
