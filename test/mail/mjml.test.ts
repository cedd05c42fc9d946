import { beforeAll, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { compileContent } from '../../src/mail/content.ts'
import { renderer } from '../../src/mail/render.ts'
import { prepareInliner } from '../../src/mail/styles.ts'

beforeAll(prepareInliner)

const compile = (html: string) =>
  compileContent({ subject: 'News', html, sourceType: 'mjml', variables: [{ name: 'x' }] })
const page = (body: string, head = '') =>
  `<mjml>\n<mj-head>${head}</mj-head>\n<mj-body>\n${body}</mj-body></mjml>`
const column = (body: string) => `<mj-section><mj-column>\n${body}\n</mj-column></mj-section>`

test('MJML becomes tables, keeps its Liquid, and has a text part', () => {
  const content = compile(
    page(
      column(`{% if contact.company %}
        <mj-text css-class="a">Hello {{ contact.firstName | default: "there" }}</mj-text>
      {% endif %}
      <mj-button href="https://a.example/{{ x | default: "y" }}">Go</mj-button>`),
      '<mj-style inline="inline">.a{letter-spacing:3px}</mj-style>',
    ),
  )
  const render = renderer(content)
  const said = { organization: { name: 'A' }, variables: { x: 'b' } }
  const mail = render({ ...said, contact: { id: '1', company: 'B', firstName: '<script>' } })
  expect(mail.html).toMatch(/<td class="a"[^>]*letter-spacing: 3px[^>]*>.*Hello &lt;script&gt;</)
  expect(mail.html).toContain('href="https://a.example/b"')
  expect(mail.text).toContain('Hello <script>')
  expect(render({ ...said, contact: { id: '2' } }).text).not.toContain('Hello')
})

test.each([
  ['an include', page('<mj-include path="/etc/passwd"/>'), 'includes a file (line 4, column 1)'],
  [
    'an unknown element',
    page(column('<mj-news/>')),
    'has an unknown element mj-news (line 5, column 1)',
  ],
  ['HTML', '<p>x</p>', 'is not valid MJML: unexpected token (line 1, column 1)'],
  ['an open element', '<mjml><mj-body>', 'is not valid MJML: unexpected end of stream'],
  [
    'Liquid that would be lost',
    page(column('<mj-text {% if x %}color="red"{% endif %}>x</mj-text>')),
    'is not valid MJML: unable to parse an element',
  ],
  ['too many elements', page('<mj-wrapper>'.repeat(600)), 'Nested too deep'],
])('%s is refused with its place', (_, source, message) => {
  let refusal: unknown
  try {
    compile(source)
  } catch (error) {
    refusal = error
  }
  expect(refusal instanceof AppError && refusal.details).toEqual([{ path: 'htmlContent', message }])
})
