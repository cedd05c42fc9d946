import { type BulkEmailEntry, SendBulkEmailCommand } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNT, failure, type Fixture, SENDER, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())
beforeEach(() => sandbox.control.clear())

const entry = (address: string, name = address): BulkEmailEntry => ({
  Destination: { ToAddresses: [address] },
  ReplacementEmailContent: {
    ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name }) },
  },
  ReplacementTags: [{ Name: 'letterloom-message', Value: `m_${name.replaceAll(/\W/g, '')}` }],
})

const send = async (BulkEmailEntries: BulkEmailEntry[], more: object = {}) => {
  const answer = await sandbox.ses.send(
    new SendBulkEmailCommand({
      FromEmailAddress: SENDER,
      DefaultEmailTags: [{ Name: 'letterloom-batch', Value: 'b1' }],
      DefaultContent: {
        Template: {
          TemplateContent: { Subject: 'Hi {{name}}', Html: '<p>{{name}} {{city}}</p>' },
          TemplateData: '{"city":"Bern"}',
          Headers: [
            { Name: 'List-Unsubscribe', Value: '<https://letterloom.example/u/all>' },
            { Name: 'X-Kept', Value: 'yes' },
          ],
        },
      },
      BulkEmailEntries,
      ...more,
    }),
  )
  return answer.BulkEmailEntryResults ?? []
}

describe('SendBulkEmail', () => {
  test('answers in the order of the entries, failed ones among them', async () => {
    const results = await send([
      entry('a@example.com'),
      entry('größe@example.com'),
      entry('b@example.com'),
    ])
    expect(results.map(({ Status }) => Status)).toEqual(['SUCCESS', 'INVALID_PARAMETER', 'SUCCESS'])
    expect(results[1]).toMatchObject({ Error: expect.stringMatching(/non-ASCII/) })
    expect(await sandbox.control.mail(results[2]?.MessageId ?? '')).toMatchObject({
      recipient: 'b@example.com',
      subject: 'Hi b@example.com',
      html: '<p>b@example.com Bern</p>',
      batch: 'b1',
      messageTag: 'm_bexamplecom',
    })
  })

  test("an entry's headers and tags take the place of the common ones", async () => {
    const [result] = await send([
      {
        ...entry('a@example.com'),
        ReplacementHeaders: [
          { Name: 'list-unsubscribe', Value: '<https://letterloom.example/u/1>' },
        ],
        ReplacementTags: [{ Name: 'letterloom-batch', Value: 'b2' }],
      },
    ])
    expect(await sandbox.control.mail(result?.MessageId ?? '')).toMatchObject({
      batch: 'b2',
      headers: [
        { name: 'X-Kept', value: 'yes' },
        { name: 'list-unsubscribe', value: '<https://letterloom.example/u/1>' },
      ],
    })
  })

  test('takes whole mails as data', async () => {
    const html = `<p>${'long '.repeat(2_000)}{{name}}</p>`
    const [result] = await send([
      {
        Destination: { ToAddresses: ['a@example.com'] },
        ReplacementEmailContent: {
          ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name: html }) },
        },
      },
    ])
    const stored = await sandbox.control.mail(result?.MessageId ?? '')
    expect(stored.html).toBe(`<p>${html} Bern</p>`)
  })

  test('refuses more than fifty entries and no entries at all', async () => {
    const many = Array.from({ length: 51 }, (_, n) => entry(`r${n}@example.com`))
    expect((await failure(send(many))).name).toBe('BadRequestException')
    expect((await failure(send([]))).name).toBe('BadRequestException')
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 0 })
  })

  test('says per entry when the rate, the quota or the account end', async () => {
    const entries = ['a', 'b', 'c'].map((name) => entry(`${name}@example.com`))
    const statuses = async () => (await send(entries)).map(({ Status }) => Status)

    await sandbox.control.putAccount(ACCOUNT, { max24Hour: 2 })
    expect(await statuses()).toEqual(['SUCCESS', 'SUCCESS', 'ACCOUNT_DAILY_QUOTA_EXCEEDED'])
    await sandbox.control.putAccount(ACCOUNT, { max24Hour: 1_000_000, maxSendRate: 0.5 })
    await sandbox.control.clear()
    expect(await statuses()).toEqual(['SUCCESS', 'ACCOUNT_THROTTLED', 'ACCOUNT_THROTTLED'])
    await sandbox.control.putAccount(ACCOUNT, { maxSendRate: 10_000 })
    await sandbox.control.setFaults({ suspended: true })
    expect(new Set(await statuses())).toEqual(new Set(['ACCOUNT_SUSPENDED']))
    await sandbox.control.setFaults({ suspended: false, sendingPaused: true })
    expect(new Set(await statuses())).toEqual(new Set(['ACCOUNT_SENDING_PAUSED']))
    await sandbox.control.resetFaults()
    const refused = await send(entries, { FromEmailAddress: 'x@other.example' })
    expect(refused.map(({ Status }) => Status)).toEqual(Array(3).fill('MESSAGE_REJECTED'))
  })
})
