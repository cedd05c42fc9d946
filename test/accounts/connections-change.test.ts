import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'

const accountId = '121212121212'
const region = 'eu-central-1'
const TOPIC = `arn:aws:sns:${region}:${accountId}:mail-events`

let api: Api
let id: string
beforeAll(async () => {
  api = await startApi()
  id = (await connectAccount(api.alice, { accountId, region, name: 'Before' })).connectionId
})
afterAll(() => api.close())

const patch = (payload: object, client = api.alice, url = `/v1/connections/${id}`) =>
  client.send({ method: 'PATCH', url, payload })
const listed = async () => (await api.alice.get('/v1/connections')).body.connections[0]
const secrets = () => api.sql`
  select hash, valid_until from connection_secrets where connection_id = ${id}`

test('a name and a topic are changed, cleared and left alone, and no secret is rotated', async () => {
  const before = await secrets()
  const { status, body } = await patch({ name: 'After', snsTopicArn: TOPIC })
  expect([status, body]).toEqual([
    200,
    { ...(await listed()), name: 'After', snsTopicArn: TOPIC, accountId, region },
  ])
  expect((await patch({ name: null })).body).toMatchObject({ name: null, snsTopicArn: TOPIC })
  expect((await patch({ snsTopicArn: null })).body).toMatchObject({ snsTopicArn: null })
  expect((await patch({})).body).toEqual(await listed())
  expect(await secrets()).toEqual(before)
})

test('an answer can be sent back with a change: read-only fields are ignored', async () => {
  const read = await listed()
  const changed = { ...read, name: 'Edited', isVerified: true, accountId: '999999999999' }
  expect((await patch(changed)).body).toEqual({ ...read, name: 'Edited' })
})

describe('is refused', () => {
  test.each([
    ['another account’s topic', TOPIC.replace(accountId, '999999999999'), 400],
    ['another region’s topic', TOPIC.replace(region, 'eu-west-1'), 400],
    ['another partition’s topic', TOPIC.replace('arn:aws:', 'arn:aws-us-gov:'), 400],
    ['a queue', TOPIC.replace('sns', 'sqs'), 422],
    ['a FIFO topic, which has no HTTPS', `${TOPIC}.fifo`, 422],
    ['any text', 'mail-events', 422],
    ['an empty text', '', 422],
  ])('%s', async (_what, snsTopicArn, status) => {
    const answer = await patch({ name: 'Never', snsTopicArn })
    expect([answer.status, answer.body.details[0].path]).toEqual([status, 'snsTopicArn'])
    expect((await listed()).name).not.toBe('Never')
  })

  test('an unknown field and a name that is too long', async () => {
    expect((await patch({ colour: 'red' })).status).toBe(422)
    expect((await patch({ name: 'x'.repeat(201) })).status).toBe(422)
  })

  test('a stranger, an unknown and a malformed id', async () => {
    expect((await patch({ name: 'Never' }, api.charlie)).status).toBe(403)
    const other = `/v1/connections/${uuidv7()}`
    expect((await patch({ name: 'Never' }, api.alice, other)).status).toBe(404)
    expect((await patch({ name: 'Never' }, api.alice, '/v1/connections/x')).status).toBe(404)
    expect((await listed()).name).not.toBe('Never')
  })

  test('by the database too: a topic of another account cannot be stored', async () => {
    const stored = api.sql`
      update connections set sns_topic_arn = ${TOPIC.replace(accountId, '999999999999')}
      where id = ${id}`
    await expect(stored).rejects.toThrow(/connections_sns_topic_is_its_own/)
  })
})
