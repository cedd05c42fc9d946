import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../api/app.ts'
import { createToolbox } from '../../src/core/deliverability/toolbox.ts'
import type { DnsAnswer } from '../../src/net/dns.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createLookups } from '../../src/net/lookups.ts'
import { tally } from '../support/api.ts'
import { startToolsApi } from '../support/tools-api.ts'

/** As `toolbox.ts` has it. */
const MOST_AT_ONCE = 100

let app: App
let questions: string[] = []
let answers: (() => void)[] = []
beforeAll(async () => {
  const lookups = createLookups({
    // A name server that answers when it is let.
    ask: ({ name }) => {
      questions.push(name)
      return new Promise<DnsAnswer>((resolve) => answers.push(() => resolve({ status: 'no_name' })))
    },
  })
  app = await startToolsApi(
    createToolbox({
      lookups,
      createFetcher: (findAddresses) => createFetcher({ allowed: [], findAddresses }),
      now: Date.now,
      userAgent: 'Letterloom-Tools/test',
    }),
  )
})
afterAll(() => app.close())

const check = (domain: string) => app.inject(`/tools/spf-check/${domain}`)
const areAsked = (count: number) => expect.poll(() => questions.length).toBe(count)
const answerAll = (): void => {
  for (const answer of answers.splice(0)) answer()
}

test('concurrent equal requests share one check', async () => {
  questions = []
  const asked = Array.from({ length: 300 }, () => check('same.example'))
  await areAsked(1)
  answerAll()
  const statuses = await Promise.all(asked.map(async (each) => (await each).statusCode))
  expect(tally(statuses)).toEqual({ 200: 300 })
  expect(questions).toEqual(['same.example'])
})

test('a check too many is told to come back, and nothing else of the service notices', async () => {
  questions = []
  const asked = Array.from({ length: MOST_AT_ONCE }, (_, n) => check(`d${n}.example`))
  await areAsked(MOST_AT_ONCE)
  const refused = await check('one-more.example')
  expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
    429,
    '2',
    expect.objectContaining({ code: 'RATE_LIMITED', reason: 'tools_busy' }),
  ])
  expect((await app.inject('/tools')).statusCode).toBe(200)
  // What was checked a moment ago is answered all the same.
  expect((await check('same.example')).statusCode).toBe(200)
  expect(questions).toHaveLength(MOST_AT_ONCE)
  answerAll()
  const statuses = await Promise.all(asked.map(async (each) => (await each).statusCode))
  expect(tally(statuses)).toEqual({ 200: MOST_AT_ONCE })
  const again = check('one-more.example')
  await areAsked(MOST_AT_ONCE + 1)
  answerAll()
  expect((await again).statusCode).toBe(200)
})
