import { setMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { DnsAnswer } from '../../src/net/dns.ts'
import { createLookups, type Lookups } from '../../src/net/lookups.ts'

/** As `questions.ts` and `lookups.ts` have them. */
const MOST_AT_ONCE = 100
const MOST_OF_ONE_OWNER = 10
const MOST_WAITING = 1_000
const MOST_ANSWER_BYTES = 65_536

const found = (...values: string[]): DnsAnswer => ({ status: 'found', values })
const NOTHING: DnsAnswer = { status: 'no_name' }
const SILENCE: DnsAnswer = { status: 'failed', reason: 'timeout' }

/** A name server that says the same of every name at once, and what it was asked. */
function answering(answer: DnsAnswer | Error, now = { ms: 0 }) {
  const questions: string[] = []
  const lookups = createLookups({
    now: () => now.ms,
    ask: async ({ name, type }) => {
      questions.push(`${type} ${name}`)
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { lookups, questions, now }
}

/** A name server that answers when it is let. */
function hesitating() {
  const questions: string[] = []
  const answers: (() => void)[] = []
  const lookups = createLookups({
    ask: ({ name }) => {
      questions.push(name)
      return new Promise((resolve) => answers.push(() => resolve(NOTHING)))
    },
  })
  const answerAll = async (): Promise<void> => {
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer()
      await settled()
    }
  }
  return { lookups, questions, answers, answerAll }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function within(lookups: Lookups, more: Partial<Parameters<Lookups['within']>[0]> = {}) {
  const signal = AbortSignal.timeout(60_000)
  setMaxListeners(2 * MOST_WAITING, signal)
  return lookups.within({ mostQuestions: 10_000, mostBytes: 1e9, signal, ...more })
}

test.each<[string, DnsAnswer, number]>([
  ['records', found('v=spf1 -all'), 60_000],
  ['that there is no record', { status: 'empty' }, 60_000],
  ['that there is no name', NOTHING, 60_000],
  ['that nobody answered', SILENCE, 3_000],
])('%s are remembered, and forgotten in time', async (_, answer, ms) => {
  const { lookups, questions, now } = answering(answer)
  const ask = () => within(lookups).ask('a.example', 'TXT')
  expect([await ask(), await ask()]).toEqual([answer, answer])
  now.ms = ms - 1
  expect(await ask()).toEqual(answer)
  expect(questions).toEqual(['TXT a.example'])
  now.ms = ms
  expect(await ask()).toEqual(answer)
  expect(questions).toEqual(['TXT a.example', 'TXT a.example'])
})

test('memory is bounded: what was remembered first is forgotten', async () => {
  const { lookups, questions } = answering(found('x'.repeat(MOST_ANSWER_BYTES)))
  const { ask } = within(lookups)
  for (let n = 0; n < 300; n++) await ask(`d${n}.example`, 'TXT')
  await ask('d299.example', 'TXT')
  expect(questions).toHaveLength(300)
  await ask('d0.example', 'TXT')
  expect(questions).toHaveLength(301)
})

test('concurrent equal questions share one query, in capitals or with a dot', async () => {
  const { lookups, questions, answerAll } = hesitating()
  const asked = Array.from({ length: 50 }, (_, n) =>
    within(lookups).ask(['a.example', 'A.Example', 'a.example.'][n % 3] ?? '', 'TXT'),
  )
  await settled()
  await answerAll()
  expect(new Set(await Promise.all(asked))).toEqual(new Set([NOTHING]))
  expect(questions).toEqual(['a.example'])
})

test('a hundred questions are under way at once, a thousand wait, and more fail at once', async () => {
  const { lookups, questions, answers, answerAll } = hesitating()
  const { ask, unansweredCount: unanswered } = within(lookups)
  const asked = Array.from({ length: MOST_AT_ONCE + MOST_WAITING }, (_, n) =>
    ask(`d${n}.example`, 'TXT'),
  )
  await settled()
  expect(questions).toHaveLength(MOST_AT_ONCE)
  expect(await ask('one-more.example', 'TXT')).toEqual({ status: 'failed', reason: 'busy' })
  expect(unanswered()).toBe(1)
  answers.shift()?.()
  await settled()
  // The place went to who waited longest.
  expect(questions.slice(MOST_AT_ONCE)).toEqual([`d${MOST_AT_ONCE}.example`])
  await answerAll()
  expect(new Set(await Promise.all(asked))).toEqual(new Set([NOTHING]))
  expect(questions).toHaveLength(MOST_AT_ONCE + MOST_WAITING)
})

test.each<[string, (n: number) => string, string]>([
  ['of one domain', (n) => `d${n}.evil.co.uk`, 'other.co.uk'],
  ['of one network', (n) => `${n}.2.0.192.in-addr.arpa`, '1.3.0.192.in-addr.arpa'],
])('names %s hold ten places, and others are asked for meanwhile', async (_, nameOf, other) => {
  const { lookups, questions, answerAll } = hesitating()
  const { ask } = within(lookups)
  const asked = Array.from({ length: 50 }, (__, n) => ask(nameOf(n), 'TXT'))
  await settled()
  expect(questions).toHaveLength(MOST_OF_ONE_OWNER)
  const others = ask(other, 'TXT')
  await settled()
  expect(questions.at(-1)).toBe(other)
  await answerAll()
  expect(new Set(await Promise.all([...asked, others]))).toEqual(new Set([NOTHING]))
  expect(questions).toHaveLength(51)
})

test('a question that nobody waits for any more is not asked', async () => {
  const { lookups, questions, answerAll } = hesitating()
  const first = within(lookups)
  const running = Array.from({ length: MOST_OF_ONE_OWNER }, (_, n) =>
    first.ask(`d${n}.evil.example`, 'TXT'),
  )
  const gone = new AbortController()
  const left = within(lookups, { signal: gone.signal })
  const queued = [left.ask('x.evil.example', 'TXT'), left.ask('y.evil.example', 'TXT')]
  const stays = first.ask('y.evil.example', 'TXT')
  await settled()
  gone.abort()
  expect(await Promise.all(queued)).toEqual([SILENCE, SILENCE])
  await answerAll()
  await Promise.all([...running, stays])
  expect(questions.filter((name) => /^[xy]/.test(name))).toEqual(['y.evil.example'])
  // Nothing of it is remembered: it is asked when somebody wants it again.
  const again = first.ask('x.evil.example', 'TXT')
  await settled()
  await answerAll()
  expect(await again).toEqual(NOTHING)
})

test('whose time is over waits no longer, and who has time gets the answer', async () => {
  const { lookups, questions, answerAll } = hesitating()
  const gone = new AbortController()
  const late = within(lookups, { signal: gone.signal }).ask('a.example', 'TXT')
  const patient = within(lookups).ask('a.example', 'TXT')
  await settled()
  gone.abort()
  expect(await late).toEqual(SILENCE)
  await answerAll()
  expect(await patient).toEqual(NOTHING)
  expect(questions).toEqual(['a.example'])
})

test('a question that could not even be asked takes no place from others', async () => {
  const { lookups, questions } = answering(new Error('no socket'))
  const { ask } = within(lookups)
  for (let n = 0; n < 2 * MOST_AT_ONCE; n++) {
    await expect(ask('a.example', 'TXT')).rejects.toThrow('no socket')
  }
  expect(questions).toHaveLength(2 * MOST_AT_ONCE)
})

test('a request asks as many questions as it may; what is remembered costs none', async () => {
  const { lookups, questions } = answering(NOTHING)
  await within(lookups).ask('known.example', 'TXT')
  const { ask, askedCount, unansweredCount } = within(lookups, { mostQuestions: 3 })
  const limit = { status: 'failed', reason: 'limit' }
  const said = await Promise.all(
    ['known.example', 'a.example', 'b.example', 'c.example', 'd.example', 'known.example'].map(
      (name) => ask(name, 'TXT'),
    ),
  )
  expect(said).toEqual([NOTHING, NOTHING, NOTHING, NOTHING, limit, NOTHING])
  expect([askedCount(), questions.length, unansweredCount()]).toEqual([3, 4, 0])
})

test('answers of a request have their bytes together, also when all come at once', async () => {
  const mostBytes = 200_000
  let bytes = 0
  const lookups = createLookups({
    ask: async () => {
      bytes += MOST_ANSWER_BYTES
      await settled()
      return found('x'.repeat(MOST_ANSWER_BYTES))
    },
  })
  const { ask } = within(lookups, { mostBytes })
  const said = await Promise.all(Array.from({ length: 25 }, (_, n) => ask(`d${n}.example`, 'TXT')))
  expect(bytes).toBeGreaterThan(mostBytes - MOST_ANSWER_BYTES)
  expect(bytes).toBeLessThanOrEqual(mostBytes + MOST_ANSWER_BYTES)
  const kept = said.filter(({ status }) => status === 'found')
  expect(kept).toHaveLength(bytes / MOST_ANSWER_BYTES)
  expect(said.filter(({ status }) => status === 'failed')).toHaveLength(25 - kept.length)
  // What others have asked for counts as well.
  const second = within(lookups, { mostBytes: MOST_ANSWER_BYTES })
  expect(await second.ask('d0.example', 'TXT')).toMatchObject({ status: 'found' })
  expect(await second.ask('d1.example', 'TXT')).toMatchObject({ reason: 'limit' })
})

test('an answer is kept as far as it is looked at', async () => {
  const { lookups } = answering(found(...Array.from({ length: 200 }, () => 'x'.repeat(1_000))))
  const answer = await within(lookups).ask('a.example', 'TXT')
  const values = answer.status === 'found' ? answer.values : []
  expect([values.length, values.join('').length]).toEqual([100, MOST_ANSWER_BYTES])
})

test('names that only our own resolver knows, and names that are none, are not asked for', async () => {
  const { lookups, questions } = answering(found('10.0.0.1'))
  const { ask } = within(lookups)
  for (const name of ['postgres', 'vault.corp.internal', 'a.localhost', 'x.local']) {
    expect([name, await ask(name, 'A')]).toEqual([name, NOTHING])
  }
  for (const name of ['', 'a..example', `${'a'.repeat(64)}.example`, 'a b.example', 'ä.example']) {
    const bad = { status: 'failed', reason: 'bad_name' }
    expect([name, await ask(name, 'A')]).toEqual([name, bad])
  }
  expect(questions).toEqual([])
})
