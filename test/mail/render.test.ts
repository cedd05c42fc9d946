import { describe, expect, test } from 'vitest'
import { type ContentSource, compileContent } from '../../src/mail/content.ts'
import { type MergeData, RenderError, renderer, renderText } from '../../src/mail/render.ts'

const ann: MergeData = {
  contact: {
    id: '0190f2c4-0000-7000-8000-000000000001',
    email: 'ann@example.com',
    firstName: 'Ann',
    lastName: null,
    properties: { list: [1, 2], deep: { a: { b: 'c' } }, empty: '', none: null },
  },
  organization: { name: 'Acme' },
  unsubscribeUrl: 'https://mail.example.com/unsubscribe/token_-1',
}
const named = (firstName: string): MergeData => ({
  ...ann,
  contact: { id: '1', firstName },
})

const render = (source: Partial<ContentSource>, data: MergeData = ann) =>
  renderer(compileContent({ html: '', text: '', ...source }))(data)

/** The reason and the message of the refusal. */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof RenderError) return `${error.reason}: ${error.message}`
    throw error
  }
  return 'rendered'
}

describe('values', () => {
  test.each([
    ['{{ contact.firstName }}', 'Ann'],
    ['{{ contact.email }} of {{ organization.name }}', 'ann@example.com of Acme'],
    ['{{ contact.properties.deep.a.b }}', 'c'],
    ['{{ contact.properties.list }} {{ contact.properties.list[1] }}', '12 2'],
    ['{{ contact.properties.empty }}|', '|'],
    ['{{ contact.lastName | default: "friend" }}', 'friend'],
    ['{{ contact.properties.empty | default: "friend" }}', 'friend'],
    ['{{ contact.lastName | upcase | default: "friend" }}', 'friend'],
    ['{{ contact.properties.nope.deeper | default: "friend" }}', 'friend'],
    ['{% assign n = contact.lastName | capitalize %}{{ n | default: "friend" }}', 'friend'],
    ['{% if contact.lastName %}yes{% else %}no{% endif %}', 'no'],
    ['{% if contact.properties.nope == blank or contact.lastName == nil %}no{% endif %}', 'no'],
    ['{% unless contact.properties.nope.deeper %}no{% endunless %}', 'no'],
    ['{% for p in contact.properties.nope %}x{% else %}none{% endfor %}', 'none'],
    ['{% case contact.lastName %}{% when "x" %}x{% else %}else{% endcase %}', 'else'],
    ['{{ 1.5 | times: 2 }} {{ true }}', '3 true'],
    ['{{ 0 | date: "%Y-%m-%d %H:%M" }}', '1970-01-01 00:00'],
  ])('%s comes out as %s', (text, expected) => {
    expect(render({ text }).text).toBe(expected)
    expect(render({ html: text }).html).toBe(expected)
  })

  test.each([
    ['{{ contact.lastName }}', 'contact.lastName'],
    ['{{ contact.properties.none }}', 'contact.properties.none'],
    ['{{ contact.properties.nope.deeper }}', 'contact.properties.nope.deeper'],
    ['{{- contact.lastName | upcase -}}', 'contact.lastName | upcase'],
    ['{{ contact.lastName | append: "!" }}', 'contact.lastName | append: "!"'],
    ['{{ "Dear " | append: contact.lastName }}', '"Dear " | append: contact.lastName'],
    [
      '{{ contact.lastName | default: contact.phone }}',
      'contact.lastName | default: contact.phone',
    ],
    ['{% assign n = contact.lastName | upcase %}{{ n }}', 'n'],
    ['{% echo contact.lastName %}', 'echo contact.lastName'],
    ['{{ contact.properties.constructor }}', 'contact.properties.constructor'],
    ['{{ contact.properties.__proto__ }}', 'contact.properties.__proto__'],
    ['{{ contact.email.constructor }}', 'contact.email.constructor'],
  ])('%s has no value and no default: this mail fails and says why', (source, name) => {
    for (const part of ['html', 'text', 'subject'] as const) {
      expect(refusal(() => render({ [part]: source }))).toBe(
        `missing_value: "${name}" has no value and no default`,
      )
    }
  })

  test('an object is no text', () => {
    expect(refusal(() => render({ html: '{{ contact.properties.deep }}' }))).toBe(
      'missing_value: "contact.properties.deep" is an object, not text',
    )
  })

  test('mail to an address that is no contact has no contact', () => {
    const data = { organization: { name: 'Acme' }, variables: { code: 'X1' } }
    const variableNames = ['code']
    const html = '{{ code }} {{ contact.firstName | default: "friend" }}'
    expect(render({ html, variableNames }, data).html).toBe('X1 friend')
    expect(refusal(() => render({ html: '{{ contact.email }}' }, data))).toContain('contact.email')
  })

  test('a variable cannot stand for another contact, organization or link', () => {
    const variables = { contact: { email: 'eve@example.com' }, organization: { name: 'Eve' } }
    const text = '{{ contact.email }} {{ organization.name }}'
    expect(render({ text }, { ...ann, variables }).text).toBe('ann@example.com Acme')
  })

  test('one recipient that fails does not spoil the next, nor does one that counts', () => {
    const make = renderer(
      compileContent({
        html: '{% increment n %} {{ contact.lastName }}',
        text: '{% increment n %}',
      }),
    )
    expect(() => make(ann)).toThrow(RenderError)
    const bob = { ...ann, contact: { id: '2', lastName: 'Lee' } }
    expect(make(bob)).toMatchObject({ html: '0 Lee', text: '0' })
    expect(make(bob)).toMatchObject({ html: '0 Lee', text: '0' })
    expect(Object.keys(bob)).toEqual(Object.keys(ann))
  })
})

describe('text of others stays text in the HTML', () => {
  const EVIL = `<script>alert("x")</script>'&`
  const SAFE = '&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&#39;&amp;'

  test.each([
    ['{{ contact.firstName }}'],
    ['{{ contact.firstName | raw }}'],
    ['{{ contact.firstName | escape }}'],
    ['{{ contact.firstName | escape_once | raw }}'],
    ['{% echo contact.firstName %}'],
    ['{% echo contact.firstName | raw %}'],
    ['{% cycle contact.firstName %}'],
    ['{% liquid echo contact.firstName %}'],
    ['{% assign a = contact.firstName %}{{ a }}'],
    ['{% assign a = contact.firstName | raw %}{{ a | raw }}'],
    ['{% capture a %}{{ contact.firstName }}{% endcapture %}{{ a }}'],
    ['{% capture a %}{{ contact.firstName }}{% endcapture %}{{ a | strip | raw }}'],
    ['{% capture a %}{{ contact.firstName | raw }}{% endcapture %}{% assign b = a %}{{ b }}'],
    ['{% assign a = contact.firstName | split: "|" %}{% for b in a %}{{ b }}{% endfor %}'],
    ['{{ contact.lastName | default: contact.firstName }}'],
  ])('%s', (html) => {
    expect(render({ html }, named(EVIL)).html).toBe(SAFE)
  })

  test('a property is as foreign as a name, and a filter frees nothing', () => {
    const data = { ...ann, contact: { id: '1', properties: { note: EVIL } } }
    const html = '{{ contact.properties.note | newline_to_br | append: "<b>" }}'
    expect(render({ html }, data).html).toBe(`${SAFE}&lt;b&gt;`)
    const undone =
      '{% capture a %}{{ contact.properties.note }}{% endcapture %}{{ a | replace: "&lt;", "<" }}'
    expect(render({ html: undone }, data).html).not.toContain('<script>')
  })

  const note = (text: string): MergeData => ({
    ...ann,
    contact: { id: '1', properties: { note: text } },
  })
  const LINES = 'a & b\r\n<i>c</i>\nd'
  test.each([
    ['{{ contact.properties.note | newline_to_br }}'],
    ['{{ contact.properties.note | escape | newline_to_br }}'],
    ['{{ contact.properties.note | newline_to_br | strip | raw }}'],
    ['{% assign a = contact.properties.note | newline_to_br %}{{ a }}'],
    ['{% capture a %}{{ contact.properties.note }}{% endcapture %}{{ a | newline_to_br }}'],
    ['{% capture a %}{{ contact.properties.note | newline_to_br }}{% endcapture %}{{ a }}'],
  ])('lines are broken after they were escaped: %s', (html) => {
    expect(render({ html }, note(LINES)).html).toBe(
      'a &amp; b<br />\n&lt;i&gt;c&lt;/i&gt;<br />\nd',
    )
  })

  test('a tag for a line break in a value is text, and the author keeps the own markup', () => {
    const html = '{{ contact.properties.note | newline_to_br }}'
    expect(render({ html }, note('a<br />b\nc')).html).toBe('a&lt;br /&gt;b<br />\nc')
    expect(render({ html: `${html} ${html}` }, note('<br />')).html).toBe(
      '&lt;br /&gt; &lt;br /&gt;',
    )
    const captured =
      '{% capture a %}<b>{{ contact.properties.note }}</b>\nx{% endcapture %}{{ a | newline_to_br }}'
    expect(render({ html: captured }, note('<i>')).html).toBe('<b>&lt;i&gt;</b><br />\nx')
  })

  test('lines can be split at their breaks', () => {
    const html =
      '{% assign a = contact.properties.note | newline_to_br | split: "<br />" %}{% for b in a %}<p>{{ b | strip }}</p>{% endfor %}'
    expect(render({ html }, note(LINES)).html).toBe(
      '<p>a &amp; b</p><p>&lt;i&gt;c&lt;/i&gt;</p><p>d</p>',
    )
  })

  test('broken lines are lines in the text part, also in one that is made of the HTML', () => {
    const source = '{{ contact.properties.note | newline_to_br }}'
    expect(render({ text: source }, note(LINES)).text).toBe('a & b\n<i>c</i>\nd')
    const made = renderer(compileContent({ html: `<p>${source}</p>` }))
    expect(made(note(LINES)).text).toBe('a & b\n<i>c</i>\nd')
    // What is no mail gets what the filter is known to write.
    expect(renderText('{{ note | newline_to_br | json }}', { note: 'a\nb' })).toBe(
      JSON.stringify('a<br />\nb'),
    )
  })

  test('Liquid in a value is a value', () => {
    const liquid = '{{ organization.name }}{% if true %}'
    expect(render({ html: '{{ contact.firstName }}' }, named(liquid)).html).toBe(liquid)
  })

  test("what the author captured keeps the author's markup", () => {
    const html = '{% capture a %}<b>{{ contact.firstName }}</b>{% endcapture %}{{ a }}'
    expect(render({ html }, named('O<K')).html).toBe('<b>O&lt;K</b>')
  })

  test('subject and text escape nothing', () => {
    const mail = render(
      { subject: '{{ contact.firstName }}', text: '{{ contact.firstName }}' },
      named(EVIL),
    )
    expect(mail).toMatchObject({ subject: EVIL, text: EVIL })
  })

  test('the markup of the template itself is untouched', () => {
    const html = '<!doctype html>\n<p style="a" title=\'b\'>&nbsp;&amp; "x"</p>\n'
    expect(render({ html }).html).toBe(html)
  })
})

describe('subjects', () => {
  test.each([
    ['CRLF and a header', 'Ann\r\nBcc: eve@example.com'],
    ['LF', 'Ann\nBcc: x'],
    ['CR', 'Ann\rBcc: x'],
    ['NUL', 'Ann\0Bcc'],
    ['an escape', 'Ann\u001B[31m'],
    ['a C1 control', 'Ann\u0085Bcc'],
    ['a line separator', 'Ann\u2028Bcc'],
  ])('%s in a value fails that recipient', (_, value) => {
    expect(refusal(() => render({ subject: 'Hi {{ contact.firstName }}!' }, named(value)))).toBe(
      'bad_subject: The subject has line breaks or control characters',
    )
  })

  test('998 characters fit, 999 do not', () => {
    const subject = '{{ contact.firstName }}'
    expect(render({ subject }, named('x'.repeat(998))).subject).toHaveLength(998)
    expect(refusal(() => render({ subject }, named('x'.repeat(999))))).toContain('bad_subject')
  })

  test('blanks around it go, letters of any script stay', () => {
    const subject = '{% if true %} Grüße, {{ contact.firstName }} 🎉 {% endif %}'
    expect(render({ subject }, named('Łukasz')).subject).toBe('Grüße, Łukasz 🎉')
  })

  test('without one it is empty', () => {
    expect(render({}).subject).toBe('')
  })
})

describe('limits', () => {
  test.each([
    ['a huge range', '{% for a in (1..100000000) %}x{% endfor %}', 'too_large'],
    [
      'a text that doubles itself',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
      'too_large',
    ],
    [
      'a capture that doubles itself',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..40) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}',
      'too_large',
    ],
    [
      'a large value many times',
      '{% for i in (1..1000) %}{{ contact.properties.large }}{% endfor %}',
      'too_large',
    ],
    [
      'a large text many times',
      `{% for i in (1..30000) %}${'x'.repeat(50_000)}{% endfor %}`,
      'too_large',
    ],
  ])('%s ends with %s', (_, source, reason) => {
    const data = { ...ann, contact: { id: '1', properties: { large: 'x'.repeat(100_000) } } }
    const make = renderer({ subject: null, html: source, text: '' })
    expect(refusal(() => make(data))).toMatch(new RegExp(`^${reason}`))
  })

  test('a million characters come out, one more does not', () => {
    const make = (length: number) =>
      renderer({ subject: null, html: '{{ a }}', text: '' })({
        ...ann,
        variables: { a: 'x'.repeat(length) },
      })
    expect(make(1_000_000).html).toHaveLength(1_000_000)
    expect(refusal(() => make(1_000_001))).toContain('too_large')
  })
})

describe('the way out of marketing mail', () => {
  const link = ann.unsubscribeUrl ?? ''
  const marketing = (source: Partial<ContentSource>, data = ann) =>
    renderer(compileContent({ html: '', ...source }), { marketing: true })(data)

  test('is added at the end of a mail that has none', () => {
    const mail = marketing({ html: '<html><body><p>x</p></body></html>' })
    expect(mail.html).toMatch(
      /^<html><body><p>x<\/p><p style=[^>]*><a ses:no-track href="https:\/\/mail\.example\.com\/unsubscribe\/token_-1"[^>]*>Unsubscribe<\/a><\/p><\/body><\/html>$/,
    )
    expect(mail.text).toBe(`x\n\nUnsubscribe: ${link}\n`)
  })

  test('is added where there is no body tag', () => {
    expect(marketing({ html: '<p>x</p>' }).html).toMatch(
      /^<p>x<\/p><p style=.*Unsubscribe<\/a><\/p>$/,
    )
  })

  test('is left alone where the author put it, part by part', () => {
    const html = '<a href="{{ unsubscribeUrl }}">leave</a>'
    expect(marketing({ html })).toMatchObject({
      html: `<a ses:no-track href="${link}">leave</a>`,
      text: `leave (${link})`,
    })
    expect(marketing({ html, text: 'x' }).text).toContain(`Unsubscribe: ${link}`)
  })

  test('is added when the author hid it from this recipient', () => {
    const html = '{% if contact.lastName %}<a href="{{ unsubscribeUrl }}">leave</a>{% endif %}'
    expect(marketing({ html }).html).toContain(link)
  })

  test('is not added to transactional mail', () => {
    expect(render({ html: '<p>x</p>', text: 'x' })).toMatchObject({ html: '<p>x</p>', text: 'x' })
  })

  test('is what marketing mail cannot be made without', () => {
    const { unsubscribeUrl: _, ...without } = ann
    expect(refusal(() => marketing({ html: 'x' }, without))).toContain('missing_value')
  })
})
