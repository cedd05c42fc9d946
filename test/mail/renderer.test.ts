import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, inject, test } from 'vitest'
import type { MergeData, RenderedMail } from '../../src/mail/render.ts'
import { createRenderer, type Renderer } from '../../src/mail/renderer.ts'
import { sized } from '../support/size.ts'
import { useCompiledThread } from '../../src/mail/threads.ts'

/** For what waits for a thread of a busy machine. */
const SOON_MS = 120_000

const opened: Renderer[] = []
const open = (...options: Parameters<typeof createRenderer>): Renderer => {
  const renderer = createRenderer(...options)
  opened.push(renderer)
  return renderer
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

/** Costs whoever has the property `slow` more than anybody waits for: `ten` times `ten` times … */
const loops = (depth: number): string =>
  '{% assign ten = "1,2,3,4,5,6,7,8,9,0" | split: "," %}' +
  `${'{% for a in ten %}'.repeat(depth)}${'{% endfor %}'.repeat(depth)}`
const SLOW = `{% if contact.properties.slow %}${loops(10)}{% endif %}<p>{{ contact.firstName }}</p>`
const templateOf = (html: string) => ({
  key: html,
  content: { subject: 'News', html, text: 'News' },
  marketing: false,
})
const people = (count: number, isSlow: (n: number) => boolean = () => false): MergeData[] =>
  Array.from({ length: count }, (_, n) => ({
    contact: { id: `${n}`, firstName: `n${n}`, properties: { slow: isSlow(n) } },
    organization: { name: 'O' },
  }))
const endsOf = async (making: Promise<RenderedMail>[]): Promise<string[]> =>
  (await Promise.allSettled(making)).map((end) =>
    end.status === 'fulfilled' ? end.value.html : String(end.reason.reason),
  )
const never = { organization: 'a', content: 'a', by: Infinity }

test('a slow recipient fails alone, by name, and all others have their mail', async () => {
  const ends = await endsOf(
    open().mails(
      templateOf(SLOW),
      people(100, (n) => n === 41),
      never,
    ),
  )
  expect(ends).toEqual(people(100).map((_, n) => (n === 41 ? 'render_timeout' : `<p>n${n}</p>`)))
})

test('some that are slow one after the other fail within seconds', async () => {
  const startedAt = performance.now()
  const ends = await endsOf(
    open().mails(
      templateOf(SLOW),
      people(sized(2, 10), () => true),
      never,
    ),
  )
  expect(new Set(ends)).toEqual(new Set(['render_timeout']))
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS)
})

test('a content that takes too much memory fails alone, and the process survives', async () => {
  // Each value is another list of the whole data: no memory of the template's own, much of V8's.
  const greedy = `{% if contact.properties.slow %}{% for i in many %}{% for j in many %}{% for k in many limit: 1 %}{% cycle i: j %}{% endfor %}{% endfor %}{% endfor %}{% endif %}ok`
  const many = Array.from({ length: 9_000 }, (_, n) => `x${n}`)
  const data = people(5, (n) => n === 2).map((each) => ({ ...each, variables: { many } }))
  const ends = await endsOf(open().mails(templateOf(greedy), data, never))
  expect(ends.filter((each) => each === 'ok')).toHaveLength(4)
  expect(ends[2]).toMatch(/too_large|render_timeout/)
})

test('time without a processor is nobody’s fault', async () => {
  // The clock goes on for a second, the thread's own time does not: somebody else has the machine.
  const starved = open({ readTime: () => 0 })
  const html = `${loops(6)}<p>{{ contact.firstName }}</p>`
  expect(await endsOf(starved.mails(templateOf(html), people(1), never))).toEqual(['<p>n0</p>'])
})

test('a machine that is busy with others fails no mail', async () => {
  const busy = Array.from({ length: sized(2, 6) }, () =>
    spawn(process.execPath, ['-e', 'const end = Date.now() + 240_000; while (Date.now() < end);']),
  )
  const renderer = open()
  const html = `<ul>${'<li>{{ contact.firstName | upcase | append: "!" }}</li>'.repeat(100)}</ul>`
  const made: string[] = []
  const claims = sized(2, 20)
  for (let claim = 0; claim < claims; claim++) {
    made.push(...(await endsOf(renderer.mails(templateOf(html), people(100), never))))
  }
  const ended = Promise.all(busy.map((each) => once(each, 'exit')))
  for (const each of busy) each.kill('SIGKILL')
  await ended
  expect(made.filter((each) => !each.startsWith('<ul>'))).toEqual([])
  expect(made).toHaveLength(claims * 100)
})

test('where the system tells no thread’s time the clock decides, twice', async () => {
  const startedAt = performance.now()
  const renderer = open({ readTime: () => undefined })
  const ends = await endsOf(
    renderer.mails(
      templateOf(SLOW),
      people(3, (n) => n === 1),
      never,
    ),
  )
  expect(ends).toEqual(['<p>n0</p>', 'render_timeout', '<p>n2</p>'])
  expect(performance.now() - startedAt).toBeGreaterThan(3_900)
})

test('a slow organization is rendered apart, and others do not wait for it', async () => {
  const renderer = open()
  const slow = templateOf(SLOW)
  await endsOf(
    renderer.mails(
      slow,
      people(1, () => true),
      { ...never, organization: 'slow', content: 'slow' },
    ),
  )
  let isOver = false
  const crowd = endsOf(
    renderer.mails(
      slow,
      people(sized(3, 20), () => true),
      { ...never, organization: 'slow', content: 'slow' },
    ),
  )
  void crowd.then(() => (isOver = true))
  const others = await endsOf(renderer.mails(templateOf('ok'), people(300), never))
  expect(new Set(others)).toEqual(new Set(['ok']))
  expect(isOver).toBe(false)
  expect(new Set(await crowd)).toEqual(new Set(['render_timeout']))
})

test('owners take turns, however much one of them has', async () => {
  const MANY = sized(250, 1_000)
  const renderer = open()
  const row = '{{ contact.firstName | upcase | append: "!" }}'.repeat(400)
  const all = endsOf(
    renderer.mails(templateOf(row), people(MANY), {
      ...never,
      organization: 'large',
      content: 'large',
    }),
  )
  let isOver = false
  void all.then(() => (isOver = true))
  await endsOf(
    renderer.mails(templateOf('ok'), people(1), {
      ...never,
      organization: 'small',
      content: 'small',
    }),
  )
  expect(isOver).toBe(false)
  expect(await all).toHaveLength(MANY)
})

/** Slow contents of one organization, one mail each, and how many are done. */
function slowContents(renderer: Renderer, organization: string, count: number) {
  let done = 0
  const ends = Array.from({ length: count }, async (_, n) => {
    const call = { organization, content: `content ${n}`, by: Infinity }
    const slow = people(1, () => true)
    const [end] = await endsOf(renderer.mails(templateOf(`${SLOW}${n}`), slow, call))
    done++
    return end
  })
  return { ends: Promise.all(ends), countDone: () => done }
}

test('an organization with many slow contents holds up no other', async () => {
  const renderer = open()
  const slow = slowContents(renderer, 'slow', 12)
  expect(await endsOf(renderer.mails(templateOf('ok'), people(1), never))).toEqual(['ok'])
  // It waits for the one that is at work, and not for a first look at each of them.
  expect(slow.countDone()).toBeLessThan(6)
  await slow.ends
})

test('an organization with three slow contents may claim one mail at a time, and others as before', async () => {
  const renderer = open()
  expect(renderer.takeTurn('slow')?.mostMails).toBe(Infinity)
  await slowContents(renderer, 'slow', 3).ends
  const turn = renderer.takeTurn('slow')
  expect(turn?.mostMails).toBe(1)
  // Its mail is not made yet.
  expect(renderer.takeTurn('slow')).toBeUndefined()
  turn?.end()
  const call = { organization: 'slow', content: 'another', by: Infinity }
  const made = renderer.mails(templateOf('ok'), people(1), call)
  await new Promise((resolve) => setImmediate(resolve))
  expect(renderer.takeTurn('slow')).toBeUndefined()
  expect(await endsOf(made)).toEqual(['ok'])
  await expect.poll(() => renderer.takeTurn('slow')?.mostMails, { timeout: SOON_MS }).toBe(1)
  expect(renderer.takeTurn('a')?.mostMails).toBe(Infinity)
})

test('more work of such an organization than a few is refused at once, and none of others', async () => {
  const renderer = open()
  await slowContents(renderer, 'slow', 3).ends
  const call = { organization: 'slow', content: 'ok', by: Infinity }
  const ask = (body: string) => renderer.text(body, {}, call).catch(() => 'busy')
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask('{{ 1 | plus: 1 }}')))
  expect(answers.filter((each) => each === 'busy').length).toBe(8)
  expect(answers.filter((each) => each === '2').length).toBe(4)
  const other = { ...call, organization: 'other' }
  const others = Array.from({ length: 12 }, () => renderer.text('{{ 1 | plus: 1 }}', {}, other))
  expect(new Set(await Promise.all(others))).toEqual(new Set(['2']))
})

test('a renderer that is closed leaves no thread, one without work neither', async () => {
  // Of this process, as Linux counts them.
  const threads = (): number => readdirSync('/proc/self/task').length
  await once(spawn(process.execPath, ['-e', '']), 'exit')
  const before = threads()
  const renderer = open({ idleMs: 100 })
  const making = endsOf(renderer.mails(templateOf('ok'), people(1), never))
  await expect.poll(threads, { timeout: SOON_MS, interval: 5 }).toBeGreaterThan(before)
  expect(await making).toEqual(['ok'])
  await expect.poll(threads, { timeout: SOON_MS }).toBeLessThanOrEqual(before)
  expect(await endsOf(renderer.mails(templateOf('ok'), people(1), never))).toEqual(['ok'])
  await renderer.close()
  await expect.poll(threads, { timeout: SOON_MS }).toBeLessThanOrEqual(before)
})

test('from sources a thread needs no build', async () => {
  useCompiledThread(undefined)
  try {
    expect(await endsOf(open().mails(templateOf('ok'), people(1), never))).toEqual(['ok'])
  } finally {
    useCompiledThread(pathToFileURL(inject('renderThread')))
  }
})
