import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'
import { seedExecution, type SeededExecution } from '../support/flow-steps.ts'

let api: Api
let connectionId: string

beforeAll(async () => {
  api = await startApi()
  ;({ connectionId } = await connectAccount(api.alice))
})
afterAll(() => api.close())

let people = 0
async function person() {
  const email = `reader-${++people}@example.com`
  const { id } = await createContact(api.alice, { email })
  return { contactId: id, email }
}

/** A mail of a flow, as the step writes it. */
async function mail(execution: SeededExecution, recipient: string, templateId?: string) {
  const id = uuidv7()
  await enqueue(api.sql, {
    organizationId: api.alice.organizationId,
    id,
    source: 'workflow',
    connectionId,
    contactId: execution.contactId,
    executionId: execution.id,
    ...(templateId === undefined ? {} : { templateId }),
    recipient,
    from: 'shop@example.com',
    subject: 'Welcome',
    text: 'Welcome',
  })
  return id
}
const ids = async (query: string) => {
  const { status, body } = await api.alice.get(`/v1/email/logs?${query}`)
  expect(status).toBe(200)
  return body.logs.map(({ id }: { id: string }) => id)
}

test('a mail of a flow names its execution and template, and is found by both', async () => {
  const { contactId, email } = await person()
  const first = await seedExecution(api.sql, api.alice, { contactId, steps: [] })
  const second = await seedExecution(api.sql, api.alice, { contactId, steps: [] })
  const templateId = uuidv7()
  const mine = await mail(first, email, templateId)
  const others = await mail(second, email)
  const { body } = await api.alice.get(`/v1/email/logs/${mine}`)
  expect(body).toMatchObject({
    executionId: first.id,
    templateId,
    sourceType: 'workflow',
    batchId: null,
    from: 'shop@example.com',
    status: 'queued',
  })
  expect(await ids(`executionId=${first.id}`)).toEqual([mine])
  expect(await ids(`executionId=${second.id}`)).toEqual([others])
  expect(await ids(`executionId=${second.id}&status=sent`)).toEqual([])
  expect(await ids(`templateId=${templateId}`)).toEqual([mine])
  expect(await ids('sourceType=workflow')).toEqual([others, mine])
  expect(await ids(`executionId=${uuidv7()}`)).toEqual([])
  const stranger = await api.charlie.get(`/v1/email/logs?executionId=${first.id}`)
  expect(stranger.body.logs).toEqual([])
  expect((await api.alice.get('/v1/email/logs?executionId=x')).status).toBe(400)
})

test('mail of an ended execution is not in the log', async () => {
  const { contactId, email } = await person()
  const execution = await seedExecution(api.sql, api.alice, { contactId, steps: [] })
  const id = await mail(execution, email)
  await api.sql`
    update messages set state = 'skipped', status = 'suppressed', reason = 'execution_ended'
    where id = ${id}`
  expect(await ids(`executionId=${execution.id}`)).toEqual([])
  expect((await api.alice.get(`/v1/email/logs/${id}`)).status).toBe(404)
})
