import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDrainMail } from '../../activities/sending/drain-mail.ts'
import { SHORT_TIMINGS } from '../../src/domain/sending/timings.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { fakeMailer } from '../support/mailer.ts'
import { seedOrganization } from '../support/seed.ts'

/** Far less than a drain waits for mail. */
const TURN_MS = 100

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it.each([
  [15, false],
  [16, true],
])('of %i drains of single mail some end with their turn: %s', async (drains, isOver) => {
  const { sql } = database
  const drainMail = createDrainMail({
    sql,
    claimSql: sql,
    mailer: fakeMailer(),
    timings: { ...SHORT_TIMINGS, drainMs: TURN_MS },
    content: { keyring: parseKeyring(newKeyringText()) },
  })
  const connections = []
  for (let n = 0; n < drains; n++) connections.push(await seedOrganization(sql))
  const drained = await Promise.all(
    connections.map(
      (input): Promise<{ more: boolean }> =>
        new MockActivityEnvironment().run(() => drainMail(input)),
    ),
  )
  expect(drained.some(({ more }) => more)).toBe(isOver)
})
