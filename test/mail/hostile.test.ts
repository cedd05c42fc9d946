import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { confirmationData } from '../../src/mail/confirmation.ts'
import type { ContentSource } from '../../src/mail/content.ts'
import { engines } from '../../src/mail/liquid.ts'
import { RenderError } from '../../src/mail/render.ts'
import { createRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import { watchEventLoop } from '../support/event-loop.ts'
import { isFull, partOf, sized, tenthOf } from '../support/size.ts'
import { brandWith } from '../support/brands.ts'

/** What callers may write: parts of a million characters, of contacts' data tens of thousands. */
const MOST = 1_000_000
/**
 * One item takes 200 ms twice or two seconds alone, and starting its threads; a busy machine takes
 * many times that.
 */
const BOUND_MS = 30_000
/** Copying a message of a megabyte to a thread takes some. */
const HELD_MS = 150

let renderer: Renderer
let loop: ReturnType<typeof watchEventLoop>
beforeAll(() => {
  renderer = createRenderer()
})
afterAll(() => renderer.close())
beforeEach(() => {
  loop = watchEventLoop()
})
afterEach(() => {
  const heldMs = loop.stop()
  if (heldMs >= HELD_MS) throw new Error(`the event loop was held for ${heldMs} ms`)
})

let strangers = 0
/** Each is somebody else, so that none is kept apart for what the one before did. */
const stranger = () => ({
  organization: `organization ${++strangers}`,
  content: 'c',
  by: Infinity,
})

/** How it ended: `made`, or the reason of the refusal. Anything else is thrown. */
async function endOf(making: Promise<unknown>): Promise<string> {
  try {
    await making
    return 'made'
  } catch (error) {
    if (error instanceof RenderError) return error.reason
    if (error instanceof AppError && error.code === 'BAD_REQUEST') return 'refused'
    throw error
  }
}

/** How each ended, and the longest time that one took. */
async function allEnd(makings: Record<string, () => Promise<unknown>>) {
  const ends: string[] = []
  let longestMs = 0
  for (const make of Object.values(makings)) {
    const startedAt = performance.now()
    ends.push(await endOf(make()))
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  return { ends, longestMs }
}

/** Whose items each run alone after the first slow one: they are tried once and not twice. */
const loner = { organization: 'a loner', content: 'c', by: Infinity }
const text = (source: string, scope: object) =>
  renderer.text(source, scope, isFull ? stranger() : loner)
const compile = (source: ContentSource) => renderer.compile(source, undefined, stranger())

const LONG = 'a'.repeat(MOST / 2)
/** Naive searches compare half of each with the other, at each place. */
const ALMOST = `b${'a'.repeat(MOST / 4)}`
const DATA = {
  long: LONG,
  almost: ALMOST,
  words: 'ab '.repeat(MOST / 8),
  markup: '<'.repeat(MOST / 4),
  wide: '\u0390日😀\u0000'.repeat(MOST / 16),
  list: Array.from({ length: 20_000 }, (_, n) => `item ${n % 100}`),
  people: Array.from({ length: 5_000 }, (_, n) => ({ name: `n${n}`, age: n % 7 })),
  ten: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
}

/** What an expression names, and no more: all of it is copied to a thread. */
const dataOf = (expression: string) =>
  Object.fromEntries(Object.entries(DATA).filter(([name]) => expression.includes(name)))

/** Of the uses of a filter it gets one in so many, each filter others. */
const USE_TURNS = 4
/** The uses that each of these is dear for. */
const OWN: Record<string, RegExp> = {
  date: /9999999/,
  split: /: almost$|: " "/,
  replace: /almost/,
  remove: /almost/,
  sort: /people/,
  concat: /: list/,
}

describe('every filter', () => {
  const names = Object.keys(engines.plain.filters)

  test('is known', () => expect(names.length).toBeGreaterThan(50))

  test.each(tenthOf(names.map((name, n) => [name, n] as const)))(
    '%s ends on long texts and lists',
    async (name, n) => {
      const all = [
        ...['long', 'words', 'markup', 'wide', 'list'].map((value) => `${value} | ${name}`),
        `long | ${name}: almost`,
        `long | ${name}: almost, almost`,
        `almost | ${name}: long, words`,
        `words | ${name}: " "`,
        `words | ${name}: "", long`,
        `long | ${name}: 1000000000`,
        `list | ${name}: long`,
        `list | ${name}: list`,
        `people | ${name}: "name"`,
        `people | ${name}: "age", 3`,
        `"%9999999Y%c" | ${name}: "%9999999d", "%9999999d"`,
      ]
      const turn = partOf(all, n, USE_TURNS)
      const uses = all.filter((use) => turn.includes(use) || OWN[name]?.test(use))
      const { ends, longestMs } = await allEnd(
        Object.fromEntries(uses.map((use) => [use, () => text(`{{ ${use} }}`, dataOf(use))])),
      )
      expect(ends).toHaveLength(uses.length)
      expect(longestMs).toBeLessThan(BOUND_MS)
    },
  )
})

describe('tags', () => {
  const nest = (depth: number, body: string): string =>
    Array.from({ length: depth }, (_, n) => `{% for v${n} in ten %}`).join('') +
    body +
    '{% endfor %}'.repeat(depth)
  const grow = (step: string, show = '{{ a }}') =>
    `{% assign a = "xxxxxxxx" %}{% assign l = "x" | split: "," %}{% for i in (1..60) %}${step}{% endfor %}${show}`

  test.each(
    tenthOf([
      ['loops in loops', nest(10, ''), 'render_timeout'],
      ['loops that write', nest(10, 'x'), /render_timeout|too_large/],
      ['a loop that asks', nest(9, '{% if long contains "b" %}x{% endif %}'), 'render_timeout'],
      [
        'a table of tables',
        nest(8, '{% tablerow r in ten cols: 3 %}{{ r }}{% endtablerow %}'),
        /./,
      ],
      ['a huge range', '{% for a in (1..1000000000) %}x{% endfor %}', 'too_large'],
      ['a range from below', '{% for a in (-2000000000..2000000000) %}{% endfor %}', 'too_large'],
      ['ranges in loops', nest(6, '{% for a in (1..1000) %}{% endfor %}'), /./],
      ['a text that doubles', grow('{% assign a = a | append: a %}'), 'too_large'],
      [
        'a capture that doubles',
        grow('{% capture a %}{{ a }}{{ a }}{% endcapture %}'),
        'too_large',
      ],
      ['a list of itself', grow('{% assign l = l | push: l %}', '{{ l }}'), 'too_large'],
      ['its JSON', grow('{% assign l = l | push: l %}', '{{ l | json }}'), 'too_large'],
      [
        'two that are the same',
        grow('{% assign l = l | push: l %}', '{% if l == l %}{% endif %}'),
        /./,
      ],
      [
        'a list that doubles',
        grow('{% assign l = l | concat: l %}', '{{ l | join: a }}'),
        'too_large',
      ],
      ['lines that double', grow('{% assign a = a | replace: "x", "xx" %}'), 'too_large'],
      ['captures kept', nest(7, '{% capture c %}{{ words }}{% endcapture %}{{ c }}'), 'too_large'],
      ['texts beside tags', nest(7, 'x'.repeat(50_000)), 'too_large'],
      [
        'a search in each turn',
        nest(9, '{% if almost contains "ba" %}{% endif %}'),
        'render_timeout',
      ],
      ['a long search', '{% if long contains almost %}x{% endif %}', 'too_large'],
      ['a list that has', nest(6, '{% if list contains "z" %}{% endif %}'), 'render_timeout'],
      ['sorted anew', nest(6, '{% assign s = people | sort: "age" %}'), /./],
      ['cycles', nest(8, '{% cycle "a", "b" %}{% increment n %}'), /./],
      ['cases', nest(7, `{% case long ${'%}{% when almost '.repeat(50)}%}{% endcase %}`), /./],
      ['a long condition', `{% if ${'a == b and '.repeat(5_000)} true %}x{% endif %}`, /./],
      ['liquid in lines', `{% liquid\n${'echo long\n'.repeat(3_000)}%}`, 'too_large'],
      ['tags in tags', '{% if true %}'.repeat(50_000), /./],
      ['ends of nothing', '{% endif %}'.repeat(50_000), /./],
      ['raw in raw', '{% raw %}'.repeat(50_000), /./],
      ['comments', '{% comment %}'.repeat(50_000), /./],
      ['NUL', '{{ "\0" }}\0{% assign \0 = 1 %}', /./],
    ]),
  )('%s', async (_, source, expected) => {
    const startedAt = performance.now()
    expect(await endOf(text(source, dataOf(source)))).toMatch(expected)
    expect(performance.now() - startedAt).toBeLessThan(BOUND_MS)
  })
})

const RUNS = Array.from(' \t\n\r\0<>&"\'{}%-!/#=a1é日😀\u2028\uE000\uE001')
const FRAGMENTS =
  `<div>|</div>|<div></p>|<b><i></b></i>|<table><tr><td>|<ul><li>|<p|<a |<a href="|<a href=x>y|<!--|<!-->
<![CDATA[|<?|&#|&amp|&#x;|<pre> |<style>|<script>|<head |</head>|<body "|<h1>|<br>|<img |<textarea>|<svg><p>|<math>
{{|{{ a }}|{{ "|{%|{% if a %}|{{ contact.email }}|{% raw %}|{% endraw %}|{%- -%}|<x{{ 1 }}>|{% assign a = 1 %}
{% comment %}|{% for a in (1..9) %}|<a href="{{ a }}">|}}|%}|{{ a.|{{ a[`.split(/[|\n]/)
const filled = (fragment: string, length = sized(MOST / 5, MOST)): string =>
  fragment.repeat(Math.floor(length / fragment.length))

const TURNS = 8

describe('contents', () => {
  test.each(
    tenthOf([...RUNS, ...FRAGMENTS].map((each, n) => [JSON.stringify(each), each, n] as const)),
  )('of %s end in every part', async (_, fragment, n) => {
    const long = filled(fragment)
    const short = filled(fragment, 50_000)
    // The parts take turns, so that each meets every kind of fragment.
    const parts: Record<string, () => Promise<unknown>> = {
      html: () => compile({ html: long }),
      body: () => compile({ html: `<html><body>${long}`, previewText: 'x' }),
      pre: () => compile({ html: `<pre>${short}x</pre>`, previewText: short }),
      text: () => compile({ html: '', text: long }),
      subject: () => compile({ html: '', subject: long }),
      preview: () => compile({ html: '<p>x</p>', previewText: long }),
      names: () => compile({ html: '{{ a }}', text: '', variableNames: [long] }),
      fallbacks: () =>
        compile({ html: '{{ a }}', variables: [{ name: 'a', fallback: short }], subject: 'x' }),
    }
    const { longestMs } = await allEnd(Object.fromEntries(partOf(Object.entries(parts), n, TURNS)))
    expect(longestMs).toBeLessThan(BOUND_MS)
  })

  test('80,000 blanks are nothing', async () => {
    const { text } = await compile({ html: `<pre>${' '.repeat(80_000)}\nx</pre>` })
    expect(text).toBe('x')
  })

  test('end tags of nothing hide no depth', async () => {
    expect(await endOf(compile({ html: '<div></p></x>'.repeat(70_000) }))).toBe('refused')
  })
})

describe('confirmations and roots', () => {
  const request = {
    brand: brandWith('O'),
    topic: { name: 'T' },
    contact: { id: '1', properties: { long: LONG.slice(0, 60_000) } },
    confirmUrl: 'https://mail.example.com/confirm/x',
    isReminder: false,
  }
  const slow =
    '{% assign ten = "1,2,3,4,5,6,7,8,9,0" | split: "," %}' +
    `${'{% for a in ten %}'.repeat(10)}${'{% endfor %}'.repeat(10)}{{ confirmUrl }}`

  test('a slow confirmation ends', async () => {
    const endOfMail = (html: string) => {
      const content = { subject: null, html, text: '{{ confirmUrl }}' }
      const template = { key: html, content, marketing: false }
      const [made] = renderer.mails(template, [confirmationData(request)], stranger())
      return endOf(made ?? Promise.resolve())
    }
    expect(await endOfMail(slow)).toBe('render_timeout')
    expect(await endOfMail('{{ confirmUrl }}')).toBe('made')
  })

  test('what is asked of a checked source ends', async () => {
    const source = `{{ a${' | append: a'.repeat(4_000)} }}`
    expect(await endOf(renderer.roots('html', source, stranger()))).toBe('made')
  })
})

test('work for a closed renderer, or after its deadline, does not begin', async () => {
  const closed = createRenderer()
  const late = closed.text('x', {}, { ...loner, by: performance.now() - 1 })
  await expect(late).rejects.toThrow(RendererBusy)
  await closed.close()
  await expect(closed.text('x', {}, { organization: 'o', content: 'c' })).rejects.toThrow(
    RendererBusy,
  )
})
