import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasOwnLink } from '../../src/domain/consent/link-token.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import { preferencesUrl } from '../../src/keys/preferences-links.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import {
  addressHash,
  newKeyringText,
  parseKeyring,
  signLink,
  signUnsubscribe,
} from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { countedOf, seedEngagedMail, tell, timeAt } from '../support/engaged-mail.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PUBLIC = 'https://mail.example.com'
const CUSTOM = 'https://links.shop.example/mail'

const keyring = parseKeyring(newKeyringText())
const link = {
  organizationId: uuidv7(),
  contactId: uuidv7(),
  addressHash: addressHash(uuidv7(), 'reader-1@example.com'),
}
const everything = { ...link, topicId: uuidv7(), batchId: uuidv7() }
const unsubscribe = signUnsubscribe(keyring, everything)
const OWN = [
  `${PUBLIC}/unsubscribe/${unsubscribe}`,
  `${PUBLIC}/unsubscribe/${signUnsubscribe(keyring, link)}?utm_source=mail`,
  `${CUSTOM}/unsubscribe/${signUnsubscribe(keyring, { ...link, mailId: uuidv7() })}`,
  preferencesUrl(keyring, PUBLIC, everything, Date.now()),
  preferencesUrl(keyring, CUSTOM, link, Date.now()),
  `${PUBLIC}/confirm/${signLink(keyring, 'confirm', { ...link, topicId: uuidv7(), generation: 3 })}.`,
  `https://r.example/?to=${encodeURIComponent(`${CUSTOM}/unsubscribe/${unsubscribe}`)}`,
  `https://r.example/?to=${encodeURIComponent(encodeURIComponent(`${PUBLIC}/unsubscribe/${unsubscribe}`))}`,
  invitationUrl(keyring, PUBLIC, {
    organizationId: uuidv7(),
    id: uuidv7(),
    email: 'bob@example.com',
    generation: 1,
    expiresAt: timeAt(3_600),
  }),
]
const AUTHORS = [
  'https://shop.example/unsubscribe',
  'https://shop.example/preferences/mail',
  'https://shop.example/confirm/order-4711',
  // 64 random bytes: as long as a token of ours, and none.
  `https://shop.example/confirm/${Buffer.alloc(64, 'seed').toString('base64url')}${'x'.repeat(40)}`,
  `https://shop.example/articles/${unsubscribe}`,
  `${PUBLIC}/unsubscribe/${unsubscribe.slice(0, -9)}`,
]

test.each(OWN)('%s is a link of ours', (url) => {
  expect(hasOwnLink(url)).toBe(true)
})

test.each(AUTHORS)('%s is a link of the author', (url) => {
  expect(hasOwnLink(url)).toBe(false)
})

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

test('a click on a link of ours counts nowhere, whatever its host, and is in the timeline', async () => {
  const mail = await seedEngagedMail(sql)
  await tell(sql, keyring, mail, [['Delivery'], ['Open', { userAgent: PERSON }, 6]])
  const before = await countedOf(sql, mail)
  for (const [at, url] of OWN.entries()) {
    await tell(sql, keyring, mail, [['Click', { link: url, userAgent: PERSON }, 10 + at]])
  }
  expect(await countedOf(sql, mail)).toEqual({ ...before, events: before.events + OWN.length })
})

test('the first click on a link of the author counts everywhere, after clicks on ours', async () => {
  const mail = await seedEngagedMail(sql, ['clicked'])
  const author = { link: 'https://shop.example/confirm/order-4711', userAgent: PERSON }
  await tell(sql, keyring, mail, [
    ['Click', { link: OWN[0], userAgent: PERSON }, 9],
    ['Click', author, 30],
    ['Click', { link: OWN[3], userAgent: PERSON }, 50],
  ])
  expect(await countedOf(sql, mail)).toMatchObject({
    status: 'clicked',
    batch: { clicked: 1 },
    variant: { clicked: 1 },
    contact: { clicked: 1 },
    lastClickedAt: timeAt(30),
    lastActivityAt: timeAt(30),
    metrics: { clicked: 1 },
    matched: 'clicked',
    events: 3,
  })
})
