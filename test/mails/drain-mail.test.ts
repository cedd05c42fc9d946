import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMailDrains } from '../../activities/mails/drain-mail.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { fakeMailer } from '../support/mailer.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { type Seeded, seedOrganization } from '../support/seed.ts'

/** Far less than a drain waits for mail. */
const TURN_MS = 100

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it.each([
  [6, false],
  [7, true],
])(
  'of %i drains of single mail in 8 slots some end with their turn: %s',
  async (drains, isOver) => {
    const { sql } = database
    const { drainMail } = createMailDrains({
      sql,
      claimSql: sql,
      mailer: fakeMailer(),
      timings: { ...SHORT_TIMINGS, drainMs: TURN_MS },
      content: { keyring: parseKeyring(newKeyringText()) },
      slots: 8,
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
  },
)

const receipt = ({ organizationId, connectionId }: Seeded, n: number, html: string) => ({
  organizationId,
  id: uuidv7(),
  source: 'transactional' as const,
  connectionId,
  recipient: `reader-${n}@example.com`,
  from: 'shop@example.com',
  subject: 'Your receipt',
  html,
})

it('mail without a time is due at once', async () => {
  const seeded = await seedOrganization(database.sql)
  // A time that is rounded up is half a millisecond ahead, half of the times.
  for (let n = 0; n < 20; n++) {
    await database.sql.begin(async (tx) => {
      await enqueue(tx, receipt(seeded, n, 'Thank you'))
      const early = await tx`
        select from mail_queue where connection_id = ${seeded.connectionId} and send_at > now()`
      expect(early).toHaveLength(0)
    })
  }
})

it('few mails of a megabyte are in flight at once, and all are sent', async () => {
  const MAILS = 40
  const CHARACTERS = 1_000_000
  const MOST = 25 * 1024 * 1024
  const { sql } = database
  const seeded = await seedOrganization(sql)
  for (let n = 0; n < MAILS; n++) {
    await enqueue(sql, receipt(seeded, n, 'x'.repeat(CHARACTERS)))
  }
  const provider = fakeMailer(undefined, 300)
  let held = 0
  let most = 0
  const { drainMail } = createMailDrains({
    sql,
    claimSql: sql,
    mailer: {
      ...provider,
      send: async (mail, call) => {
        const length = mail.html?.length ?? 0
        held += length
        most = Math.max(most, held)
        return provider.send(mail, call).finally(() => (held -= length))
      },
    },
    timings: { ...SHORT_TIMINGS, drainMs: 60_000 },
    content: { keyring: parseKeyring(newKeyringText()) },
  })
  await new MockActivityEnvironment().run(() => drainMail(seeded))
  expect(new Set(provider.accepted).size).toBe(MAILS)
  expect(provider.accepted).toHaveLength(MAILS)
  expect(most).toBeGreaterThan(CHARACTERS)
  expect(most).toBeLessThan(MOST)
})
