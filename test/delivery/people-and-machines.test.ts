import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayBucket } from '../../src/runtime/ids.ts'
import * as engagements from '../../src/store/flows/engagements.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  countedOf,
  type EngagedMail,
  seedEngagedMail,
  tell,
  timeAt,
} from '../support/engaged-mail.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PROXY =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36'
const MACHINES = [
  ['Apple', 'Mozilla/5.0'],
  ['Barracuda', 'Barracuda Sentinel (EE)'],
  ['Gmail at delivery', `${CHROME} Edge/12.246 Mozilla/5.0`],
  ['a sample of Gmail', `${PROXY} Gmail-content-sampling`],
  ['a library', 'python-requests/2.32'],
  ['nothing that names itself', ''],
] as const
const PEOPLE = [
  ['Firefox', PERSON],
  ['Gmail', PROXY],
  ['an old Edge', `${CHROME} Edge/12.246`],
] as const
const link = 'https://shop.example/offer'

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

const NOBODY = {
  variant: { opened: 0, clicked: 0, bounced: 0 },
  contact: { opened: 0, clicked: 0 },
  lastOpenedAt: null,
  lastClickedAt: null,
  lastActivityAt: null,
  matched: null,
}
/** Returns the facts that a wait finds if it begins now. */
const found = async ({ organizationId, executionId }: EngagedMail) => {
  const mail = await engagements.findMail(sql, organizationId, { executionId, stepId: 'mail' })
  return { openedAt: mail?.openedAt, clickedAt: mail?.clickedAt }
}

describe.each(MACHINES)('what %s does', (_, userAgent) => {
  test('opens and clicks nothing for anybody; raw figures show it', async () => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [
      ['Open', { userAgent }, 1],
      ['Click', { userAgent, link }, 2],
      ['Open', { userAgent }, 9],
    ])
    expect(await countedOf(sql, mail)).toMatchObject({
      ...NOBODY,
      status: 'clicked',
      batch: { opened: 1, clicked: 1 },
      metrics: { opened: 0, openedRaw: 1, clicked: 1 },
    })
    expect(await found(mail)).toEqual({ openedAt: null, clickedAt: null })
  })

  test('a click alone does not count as an open', async () => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [['Click', { userAgent, link }]])
    expect(await countedOf(sql, mail)).toMatchObject({
      ...NOBODY,
      batch: { opened: 0, clicked: 1 },
      metrics: { opened: 0, openedRaw: 0, clicked: 1 },
    })
  })
})

describe.each(PEOPLE)('what a person does with %s', (_, userAgent) => {
  test('counts everywhere, after what machines did', async () => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [
      ['Open', { userAgent: 'Mozilla/5.0' }, 1],
      ['Open', { userAgent }, 20],
      ['Open', { userAgent: 'Mozilla/5.0' }, 30],
    ])
    expect(await countedOf(sql, mail)).toMatchObject({
      batch: { opened: 1, clicked: 0 },
      variant: { opened: 1, clicked: 0 },
      contact: { opened: 1, clicked: 0 },
      lastOpenedAt: timeAt(20),
      lastActivityAt: timeAt(20),
      metrics: { opened: 1, openedRaw: 1, clicked: 0 },
      matched: 'opened',
    })
    expect(await found(mail)).toEqual({ openedAt: timeAt(20), clickedAt: null })
  })

  test('a click counts as an open', async () => {
    const mail = await seedEngagedMail(sql)
    await tell(sql, keyring, mail, [['Click', { userAgent, link }, 20]])
    expect(await countedOf(sql, mail)).toMatchObject({
      // As the provider tells it.
      batch: { opened: 0, clicked: 1 },
      contact: { opened: 1, clicked: 1 },
      lastOpenedAt: timeAt(20),
      metrics: { opened: 1, openedRaw: 1, clicked: 1 },
    })
    // Somebody who looks at it later has opened it before.
    await tell(sql, keyring, mail, [['Open', { userAgent }, 40]])
    expect(await countedOf(sql, mail)).toMatchObject({
      status: 'clicked',
      batch: { opened: 1, clicked: 1 },
      variant: { opened: 1, clicked: 1 },
      contact: { opened: 1, clicked: 1 },
      lastOpenedAt: timeAt(40),
      lastClickedAt: timeAt(20),
      lastActivityAt: timeAt(40),
      metrics: { opened: 1, openedRaw: 1, clicked: 1 },
      matched: 'clicked',
    })
    expect(await found(mail)).toEqual({ openedAt: timeAt(20), clickedAt: timeAt(20) })
  })
})

test('an automation that waits for an open alone goes on by a click of a person, not of a machine', async () => {
  const mail = await seedEngagedMail(sql, ['opened'])
  await tell(sql, keyring, mail, [['Click', { userAgent: 'Barracuda/1.0', link }, 3]])
  expect((await countedOf(sql, mail)).matched).toBe(null)
  await tell(sql, keyring, mail, [['Click', { userAgent: PERSON, link }, 5]])
  expect((await countedOf(sql, mail)).matched).toBe('opened')
})

test('the log shows machines’ opens and clicks beside those of people', async () => {
  const mail = await seedEngagedMail(sql)
  await tell(sql, keyring, mail, [
    ['Open', { userAgent: 'Mozilla/5.0' }, 1],
    ['Click', { userAgent: 'Barracuda/1.0', link }, 2],
    ['Click', { userAgent: PERSON, link }, 8],
  ])
  const [row] = await sql`
    select opened_at, human_opened_at, clicked_at, human_clicked_at
    from messages
    where organization_id = ${mail.organizationId} and bucket = ${dayBucket(mail.id)}
      and id = ${mail.id}`
  expect(row).toEqual({
    openedAt: timeAt(1),
    humanOpenedAt: timeAt(8),
    clickedAt: timeAt(2),
    humanClickedAt: timeAt(8),
  })
})
