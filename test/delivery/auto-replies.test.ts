import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emailMetrics } from '../../src/core/metrics/email-metrics.ts'
import * as engagements from '../../src/store/flows/engagements.ts'
import * as emailLogs from '../../src/store/delivery/email-logs.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  countedOf,
  type EngagedMail,
  seedEngagedMail,
  tell,
  type Told,
} from '../support/engaged-mail.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

const bounce = (bounceType: string, bounceSubType = 'General', second = 30): Told => [
  'Bounce',
  { bounceType, bounceSubType, feedbackId: `${bounceType} ${second}` },
  second,
]
const AUTO_REPLY = bounce('Transient')
const DELIVERY: Told = ['Delivery', {}, 5]
const OPEN: Told = ['Open', { userAgent: PERSON }, 50]

const reached = (mail: EngagedMail) =>
  emailLogs.list(sql, mail.organizationId, {
    reached: 'bounced',
    limit: 10,
    oldest: '00000000-0000-0000-0000-000000000000',
  })

const metricsOf = async ({ organizationId }: EngagedMail) =>
  (
    await emailMetrics(
      sql,
      organizationId,
      { timezone: 'UTC', granularity: 'daily' },
      Date.now() + 60_000,
    )
  ).totals

describe('a transient bounce of a mail that arrived is no bounce, in any order', () => {
  test.each<[string, Told[], string]>([
    ['delivery, automatic reply', [DELIVERY, AUTO_REPLY], 'delivered'],
    ['automatic reply, delivery', [AUTO_REPLY, DELIVERY], 'delivered'],
    [
      'two replies around it',
      [AUTO_REPLY, DELIVERY, bounce('Transient', 'General', 90)],
      'delivered',
    ],
    [
      'a full mailbox that has room later',
      [bounce('Transient', 'MailboxFull', 2), DELIVERY],
      'delivered',
    ],
    ['reply, then opened', [AUTO_REPLY, DELIVERY, OPEN], 'opened'],
    ['opened, then reply, and no delivery told', [OPEN, AUTO_REPLY], 'opened'],
    ['reply, then opened, and no delivery told', [AUTO_REPLY, OPEN], 'opened'],
  ])('%s', async (_, events, status) => {
    const mail = await seedEngagedMail(sql, ['bounced'])
    await tell(sql, keyring, mail, events)
    const isDelivered = events.includes(DELIVERY)
    expect(await countedOf(sql, mail)).toMatchObject({
      status,
      emailStatus: 'active',
      batch: { delivered: Number(isDelivered), bounced: 0 },
      variant: { bounced: 0 },
      metrics: { bouncedTransient: 1, bouncedPermanent: 0, bouncedUndetermined: 0 },
      matched: null,
    })
    expect(await metricsOf(mail)).toMatchObject({ bounced: 0, bouncedTransient: 1 })
    expect(await reached(mail)).toEqual([])
  })
})

describe('a bounce', () => {
  test.each<[string, Told[], object]>([
    [
      'a transient one while nothing tells of a delivery',
      [['Send'], bounce('Transient', 'MailboxFull')],
      { emailStatus: 'active', matched: null, metrics: { bouncedTransient: 1 } },
    ],
    [
      'an undetermined one, also of a delivered mail',
      [DELIVERY, bounce('Undetermined', 'Undetermined')],
      { emailStatus: 'active', matched: 'bounced', metrics: { bouncedUndetermined: 1 } },
    ],
    [
      'a permanent one after a delivery and a reply',
      [DELIVERY, AUTO_REPLY, bounce('Permanent', 'General', 60)],
      { emailStatus: 'bounced', matched: 'bounced', metrics: { bouncedPermanent: 1 } },
    ],
    [
      'a permanent one before a reply and a delivery',
      [bounce('Permanent', 'General', 3), AUTO_REPLY, DELIVERY, OPEN],
      { emailStatus: 'bounced', matched: 'bounced', metrics: { bouncedPermanent: 1 } },
    ],
  ])('%s', async (_, events, counted) => {
    const mail = await seedEngagedMail(sql, ['bounced'])
    await tell(sql, keyring, mail, events)
    expect(await countedOf(sql, mail)).toMatchObject({
      status: 'bounced',
      batch: { bounced: 1 },
      variant: { bounced: 1 },
      ...counted,
    })
    expect(await metricsOf(mail)).toMatchObject({ bounced: 1 })
    expect(await reached(mail)).toHaveLength(1)
  })
})

test('a wait of an automation that begins later finds no automatic reply', async () => {
  const mail = await seedEngagedMail(sql)
  const { organizationId, executionId } = mail
  const found = async () =>
    (await engagements.findMail(sql, organizationId, { executionId, stepId: 'mail' }))?.bouncedAt
  await tell(sql, keyring, mail, [AUTO_REPLY])
  expect(await found()).toBe(null)
  await tell(sql, keyring, mail, [bounce('Permanent', 'NoEmail', 60)])
  expect(await found()).not.toBe(null)
})

describe('a report in which nobody complains suppresses nobody and counts as no complaint', () => {
  const complaint = (type: string | undefined): Told => [
    'Complaint',
    { feedbackId: `c-${type}`, ...(type === undefined ? {} : { complaintFeedbackType: type }) },
    20,
  ]
  test.each(['auth-failure', 'Auth-Failure', 'not-spam', 'NOT-SPAM'])('%s', async (type) => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [DELIVERY, complaint(type)])
    expect(await countedOf(sql, mail)).toMatchObject({
      status: 'delivered',
      emailStatus: 'active',
      batch: { complained: 0 },
      metrics: { complained: 0 },
      events: 2,
    })
  })

  test.each(['abuse', 'fraud', 'virus', 'other', undefined])('%s is one', async (type) => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [DELIVERY, complaint(type)])
    expect(await countedOf(sql, mail)).toMatchObject({
      status: 'complained',
      emailStatus: 'complained',
      batch: { complained: 1 },
      metrics: { complained: 1 },
    })
  })
})
