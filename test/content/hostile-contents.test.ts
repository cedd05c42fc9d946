import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { watchEventLoop } from '../support/event-loop.ts'
import { sized, tenthOf } from '../support/size.ts'

/** Of a million characters, copied to a thread and parsed as JSON before. */
const HELD_MS = 250

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** Takes the square of its length to check: seconds. */
const SLOW = `{{ a${' | append: a'.repeat(4_800)} }}`
const RULES = Array.from({ length: 8_000 }, (_, n) => `b .x${n} ~ b > *{--a${n}:1}`).join('')
const mjml = (body: string, font = 'Arial') =>
  `<mjml><mj-head><mj-attributes><mj-all font-family="${font}"/></mj-attributes></mj-head><mj-body>${body}</mj-body></mjml>`
const template = (name: string, source: string) => ({
  name,
  subject: 'News',
  source,
  variables: [{ name: 'a', fallback: 'x' }],
})
const flow = (html: string) => ({
  name: 'Welcome',
  triggerType: 'api',
  transitions: [{ from: 'mail', to: 'call' }],
  steps: [
    {
      id: 'mail',
      type: 'send_email',
      name: 'Mail',
      config: { from: 'a@b.example', subject: 'x', html },
    },
    {
      id: 'call',
      type: 'webhook',
      name: 'Call',
      config: { url: 'https://a.example', method: 'POST', body: '{{ a }}'.repeat(3_000) },
    },
  ],
})

test.each(
  tenthOf([
    ['a long expression', SLOW],
    ['blanks', `<pre>${' '.repeat(900_000)}x</pre>`],
    ['elements', '<div>'.repeat(200_000)],
    ['end tags', '<div></p></x>'.repeat(70_000)],
    ['outputs', '{{ a }}'.repeat(100_000)],
    ['braces', '{% '.repeat(300_000)],
  ]),
)('a template of %s is made or refused, and holds nobody', async (name, source) => {
  const loop = watchEventLoop()
  const { status, body } = await api.alice.post('/v1/templates', template(name, source))
  expect(loop.stop()).toBeLessThan(HELD_MS)
  expect([201, 400]).toContain(status)
  expect(status === 201 ? ['fine'] : body.details).not.toHaveLength(0)
})

/** What an inliner or a compiler takes long for, much memory, or its stack. */
test.each(
  tenthOf([
    ['rules', `<style>${RULES}</style>${'<b></b>'.repeat(20_000)}`, 'html'],
    ['values', `<style>*{--a:${'y'.repeat(300_000)}}</style>${'<b></b>'.repeat(60_000)}`, 'html'],
    ['an unclosed tag', `<style></style>${'<a '.repeat(250_000)}`, 'html'],
    [
      'sections',
      mjml('<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(9_000)),
      'mjml',
    ],
    ['wrappers', mjml('<mj-wrapper>'.repeat(70_000)), 'mjml'],
    [
      'attributes',
      mjml(
        '<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(4_000),
        'A'.repeat(400_000),
      ),
      'mjml',
    ],
    ['a file', mjml('<mj-include path="/etc/passwd"/>'), 'mjml'],
  ]),
)('%s to inline or compile end within their limits', async (name, source, sourceType) => {
  const loop = watchEventLoop()
  const hostile = api.alice.post('/v1/templates', { ...template(name, source), sourceType })
  const other = await api.charlie.post('/v1/templates', template('mine', '<p>Hello</p>'))
  const { status, body } = await hostile
  expect(loop.stop()).toBeLessThan(HELD_MS)
  expect(other.status).toBe(201)
  // A busy machine may not have had the time to find out.
  const ends = [
    { status: 400, what: 'source' },
    { status: 503, what: 'overloaded' },
  ]
  expect(ends).toContainEqual({ status, what: body.details?.[0].path ?? body.reason })
})

test('batches and workflows are refused with the place of what is wrong', async () => {
  const html = '{{ a }}'.repeat(50_000)
  const loop = watchEventLoop()
  const made = await api.alice.post('/v1/workflows', flow(html))
  expect(loop.stop()).toBeLessThan(HELD_MS)
  expect(made.status).toBe(400)
  expect(made.body.details).toMatchObject([
    { path: 'steps[0].config.html' },
    { path: 'steps[1].config.body' },
  ])
})

test('while one organization asks for what is slow, another is answered', async () => {
  let isOver = false
  const crowd = Promise.all(
    Array.from({ length: sized(2, 12) }, (_, n) =>
      api.alice.post('/v1/templates', template(`slow ${n}`, `${SLOW}<!-- ${n} -->`)),
    ),
  ).finally(() => (isOver = true))
  const read = await api.charlie.get('/v1/templates')
  const written = await api.charlie.post('/v1/templates', template('mine', '<p>Hello</p>'))
  expect(isOver).toBe(false)
  expect([read.status, written.status]).toEqual([200, 201])
  const statuses = (await crowd).map(({ status }) => status)
  expect(statuses.filter((status) => ![201, 400, 503].includes(status))).toEqual([])
})
