import { expect, test } from 'vitest'
import { createMessageReader } from '../../src/mail/message-reader.ts'
import { readMessage, UnreadableMessage } from '../../src/mail/message.ts'

const HEAD = 'From: Ada <ada@example.com>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n'
const message = (lines: number) => Buffer.from(`${HEAD}\r\n${'x\r\n'.repeat(lines)}`)
const LARGE = 30_000

/** Runs `work`, and counts how often others had their turn meanwhile. */
async function turnsBeside(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await work().finally(() => clearInterval(timer))
  return turns
}

test('a large message is read as a small one is, while others have their turns', async () => {
  const bytes = message(LARGE)
  const expected = await readMessage(bytes)
  expect(expected.subject).toBe('Grüße')
  expect(await turnsBeside(() => readMessage(bytes))).toBeLessThan(5)
  const read = createMessageReader()
  let found: unknown
  expect(await turnsBeside(async () => (found = await read(bytes)))).toBeGreaterThan(20)
  expect(found).toEqual(expected)
})

test('each of several messages gets its own answer, also behind one that cannot be read', async () => {
  const read = createMessageReader()
  const nested = Buffer.from(
    `${HEAD}X-Long: ${'x'.repeat(300_000)}\r\n\r\nHello${' '.repeat(40_000)}`,
  )
  const answers = await Promise.allSettled([message(LARGE), nested, message(3)].map(read))
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const [, unreadable] = answers
  expect(unreadable).toMatchObject({ reason: expect.any(UnreadableMessage) })
})
