import { beforeAll, describe, expect, test } from 'vitest'
import { attributesOf, tokensOf } from '../../src/mail/html-tokens.ts'
import { engines } from '../../src/mail/liquid.ts'
import { inlineStyles, prepareInliner } from '../../src/mail/styles.ts'

beforeAll(prepareInliner)

const STYLE = '<style>.a{color:red}@media (max-width:1px){.a{color:blue!important}}</style>'
const page = (body: string, style = STYLE) =>
  `<!DOCTYPE html><html><head>${style}</head><body>${body}</body></html>`

test('rules stand in the elements that they are for, and media queries stay', () => {
  expect(inlineStyles(page('<p class="a">x</p>'))).toBe(
    page('<p class="a" style="color: red;">x</p>'),
  )
})

test.each([
  ['in text', '<p class="a">{{ contact.firstName | default: "<b>" }}</p>'],
  [
    'between rows',
    '<table><tbody>{% for x in y %}<tr><td class="a">{{ x }}</td></tr>{% endfor %}</tbody></table>',
  ],
  ['in a value', '<a class="a" href="https://a.example/?q={{ x | url_encode }}&amp;b=1">x</a>'],
  ['in a comment', '<p class="a">x</p><!--[if mso]><p>{{ x }}</p><![endif]-->'],
])('Liquid %s is where it was', (_, body) => {
  const inlined = inlineStyles(page(body))
  expect(inlined).toContain('color: red')
  expect(inlined?.replace(/ style="color: red;"/g, '')).toBe(page(body))
})

test('an element whose attributes depend on Liquid is left as it is', () => {
  const body = `<p{% if x %} class="a"{% else %} class='b'{% endif %} width={{ w }}>x</p><b class="a">y</b>`
  expect(inlineStyles(page(body))).toBe(
    page(body.replace('<b class="a">', '<b class="a" style="color: red;">')),
  )
})

test('a style sheet with Liquid stays as it is', () => {
  const style = '<style>.a{color:{{ color }}} {% if x %}.b{color:red}{% endif %}</style>'
  expect(inlineStyles(page('<p class="a">x</p>', style))).toBe(page('<p class="a">x</p>', style))
})

test.each([
  ['one of two tags is opened', '{% if x %}<p class="a">{% else %}<p class="b">{% endif %}x</p>'],
  ['a row is not in a table', '<div><tr><td class="a">x</td></tr></div>'],
  ['an end tag is missing', '<ul><li class="a">x<li>y</ul>'],
])('nothing is inlined where %s', (_, body) => {
  expect(inlineStyles(page(body))).toBeUndefined()
})

/** What a recipient gets: Liquid is rendered, and what stands in a style sheet with it. */
function rendered(html: string, isVip: boolean): string {
  const inlined = inlineStyles(html)
  if (inlined === undefined) throw new Error('it can be inlined')
  return String(engines.html.parseAndRenderSync(inlined, { vip: isVip, rows: [1, 2, 3] }))
}
/** The style of the first element of a class. */
const styleOf = (html: string, name: string): string | undefined => {
  const token = tokensOf(html).find(
    (each) => each.kind === 'start' && attributesOf(each).get('class') === name,
  )
  return token && attributesOf(token).get('style')
}

describe('a style sheet that only some recipients get is inlined for nobody', () => {
  const gold = '.a{color:gold}'
  const grey = '.a{color:grey}'
  test.each([
    [
      'of two branches',
      `{% if vip %}<style>${gold}</style>{% else %}<style>${grey}</style>{% endif %}`,
    ],
    ['beside one for all', `<style>${grey}</style>{% if vip %}<style>${gold}</style>{% endif %}`],
    [
      'that says the same as one for all',
      `<style>${grey}</style>{% unless vip %}<style>${grey}</style>{% else %}<style>${gold}</style>{% endunless %}`,
    ],
    [
      'of a case',
      `{% case vip %}{% when true %}<style>${gold}</style>{% else %}<style>${grey}</style>{% endcase %}`,
    ],
    ['with a branch in it', `<style>{% if vip %}${gold}{% else %}${grey}{% endif %}</style>`],
    [
      'with a branch in it, beside one for all',
      `<style>${grey}</style><style>{% if vip %}${gold}{% endif %}</style>`,
    ],
  ])('%s', (_, sheets) => {
    const html = page(
      `<p class="a">x</p><p class="b">y</p>`,
      `<style>.b{margin:0}</style>${sheets}`,
    )
    for (const isVip of [true, false]) {
      const mail = rendered(html, isVip)
      expect(styleOf(mail, 'a')).toBe(undefined)
      expect(mail.includes(gold)).toBe(isVip)
      // All others are inlined as ever.
      expect(styleOf(mail, 'b')).toBe('margin: 0;')
    }
  })

  test('in the body, and once for each row of a loop', () => {
    const body = `{% if vip %}<style>${gold}</style>{% endif %}<p class="a">x</p>{% for x in rows %}<style>.c{color:red}</style><p class="c">y</p>{% endfor %}<p class="b">z</p>`
    const mail = rendered(page(body, '<style>p{margin:0}</style>'), true)
    expect(['a', 'b', 'c'].map((name) => styleOf(mail, name))).toEqual([
      undefined,
      'margin: 0;',
      undefined,
    ])
  })

  test('an element keeps the style that it has, and the rules for all reach others of its kind', () => {
    const html = page(
      '<p class="a" style="margin: 1px">x</p><p class="c">y</p>',
      `<style>p{padding:0}</style>{% if vip %}<style>${gold}</style>{% endif %}`,
    )
    expect(styleOf(rendered(html, true), 'a')).toBe('margin: 1px')
    expect(styleOf(rendered(html, true), 'c')).toBe('padding: 0;')
  })
})

describe('no tag that its author left out lands in a block', () => {
  const count = (html: string, tag: string) => html.split(tag).length - 1
  test.each([
    [
      'rows of a loop',
      '<table>{% for x in rows %}<tr><td class="a">{{ x }}</td></tr>{% endfor %}</table>',
    ],
    [
      'rows of a branch',
      '<table>{% if vip %}<tr><td class="a">x</td></tr>{% endif %}<tr><td>y</td></tr></table>',
    ],
    [
      'a row before a loop',
      '<table><tr><td class="a">x</td></tr>{% for x in rows %}<tr><td>y</td></tr>{% endfor %}</table>',
    ],
    [
      'a body of a loop that is not closed',
      '<table>{% for x in rows %}<tbody><tr><td class="a">x</td></tr>{% endfor %}</table>',
    ],
    [
      'a table of a loop',
      '{% for x in rows %}<table><tr><td class="a">x</td></tr></table>{% endfor %}',
    ],
  ])('%s', (_, body) => {
    for (const isVip of [true, false]) {
      const mail = rendered(page(body), isVip)
      const written = String(engines.html.parseAndRenderSync(body, { vip: isVip, rows: [1, 2, 3] }))
      const [opened, closed] = [count(mail, '<tbody'), count(mail, '</tbody>')]
      expect([opened - closed, mail.includes('color: red')]).toEqual([
        count(written, '<tbody') - count(written, '</tbody>'),
        isVip || written.includes('class="a"'),
      ])
    }
  })

  test('a mail that begins with a branch', () => {
    const html = `${STYLE}{% if vip %}<p class="a">x</p>{% else %}<p class="b">y</p>{% endif %}`
    for (const isVip of [true, false]) {
      const mail = rendered(html, isVip)
      for (const tag of ['html', 'head', 'body']) {
        expect(count(mail, `<${tag}>`)).toBe(count(mail, `</${tag}>`))
      }
      expect(mail).toContain(isVip ? 'style="color: red;"' : '<p class="b">')
    }
  })
})
