import { beforeAll, expect, test } from 'vitest'
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
