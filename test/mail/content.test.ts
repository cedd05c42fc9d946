import { beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { type ContentSource, compileContent } from '../../src/mail/content.ts'
import { appendToBody } from '../../src/mail/preheader.ts'
import { renderer } from '../../src/mail/render.ts'
import { prepareInliner } from '../../src/mail/styles.ts'

beforeAll(prepareInliner)

const compile = (source: Partial<ContentSource>) => compileContent({ html: '<p>x</p>', ...source })

/** What `compileContent` has against a source, as `path: message`. */
function problems(source: Partial<ContentSource>): string[] {
  try {
    compile(source)
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error
    return (error.details ?? []).map(({ path, message }) => `${path}: ${message}`)
  }
}

test('text added to a body is in it, whatever letters precede its end', () => {
  for (const letters of ['', 'İ', 'İ'.repeat(20)]) {
    const html = `<body><p>${letters}</p></BODY></html>`
    expect(appendToBody(html, '<i>x</i>')).toBe(`<body><p>${letters}</p><i>x</i></BODY></html>`)
  }
  expect(appendToBody('<p>İ</p>', 'x')).toBe('<p>İ</p>x')
})

describe('a source that Liquid cannot read is refused with its place', () => {
  test.each<[string, Partial<ContentSource>, string]>([
    [
      'an open output',
      { html: 'a\n {{ contact.email' },
      'htmlContent: output "{{ contact.email" not closed (line 2, column 2)',
    ],
    [
      'an open tag',
      { html: '{% if contact.email %}' },
      'htmlContent: tag {% if contact.email %} not closed (line 1, column 1)',
    ],
    [
      'an unknown tag',
      { html: '{% shout %}' },
      'htmlContent: tag "shout" not found (line 1, column 1)',
    ],
    [
      'an unknown filter',
      { subject: '{{ contact.email | shout }}' },
      'subject: undefined filter: shout (line 1, column 1)',
    ],
    [
      'an empty output',
      { text: '{{ }}' },
      'textContent: invalid value expression: "" (line 1, column 4)',
    ],
    [
      'an end of nothing',
      { previewText: '{% endif %}' },
      'previewText: tag "endif" not found (line 1, column 1)',
    ],
  ])('%s', (_, source, problem) => {
    expect(problems(source)).toEqual([problem])
  })

  test.each(['include', 'render', 'layout', 'block'])(
    '{%% %s %%} reads files and is refused',
    (tag) => {
      expect(problems({ html: `{% ${tag} "/etc/passwd" %}` })).toEqual([
        `htmlContent: tag "${tag}" not found (line 1, column 1)`,
      ])
      expect(problems({ html: `{% liquid\n ${tag} "x" %}` })).toHaveLength(1)
    },
  )

  test.each(['sample', 'shuffle', 'where_exp', 'find_exp'])(
    'the filter %s is refused',
    (filter) => {
      expect(problems({ html: `{{ contact.email | ${filter}: "a", "b" }}` })).toEqual([
        `htmlContent: undefined filter: ${filter} (line 1, column 1)`,
      ])
    },
  )

  test('tags nested by the thousand are a problem, not a crash', () => {
    const deep = `${'{% if true %}'.repeat(30_000)}${'{% endif %}'.repeat(30_000)}`
    expect(problems({ html: deep })).toEqual([
      'htmlContent: More than 2000 tags and outputs, or too long ones',
    ])
  })

  test('the place of a problem is that in the source, whatever stands around it', () => {
    const html =
      '<p>\n</p> {% assign b = 2 %}\n  {% assign a =\n  1 %}{{ nope }} é {{ contact.no }}'
    expect(problems({ html })).toEqual([
      'htmlContent: Unknown variable "nope" (line 4, column 10)',
      'htmlContent: Unknown variable "contact.no" (line 4, column 23)',
    ])
  })

  test('a part of more than a million characters is refused', () => {
    expect(problems({ html: 'x'.repeat(1_000_001) })).toEqual([
      'htmlContent: Longer than 1000000 characters',
    ])
  })

  test('every problem of every part is named at once, under the names the caller gives', () => {
    const paths = { subject: 'a', previewText: 'b', html: 'source', text: 'd', variables: 'e' }
    const compileWrong = () =>
      compileContent(
        {
          subject: '{{ x }}\n',
          previewText: '{{ y }}',
          html: '{{ z }}',
          text: '{% if',
          variables: [{ name: '1' }],
        },
        paths,
      )
    expect(compileWrong).toThrow(
      expect.objectContaining({
        details: [
          { path: 'e', message: '"1" is not a valid variable name' },
          { path: 'a', message: 'Line breaks or control characters' },
          { path: 'a', message: 'Unknown variable "x" (line 1, column 4)' },
          { path: 'b', message: 'Unknown variable "y" (line 1, column 4)' },
          { path: 'source', message: 'Unknown variable "z" (line 1, column 4)' },
          { path: 'd', message: 'tag "{% if" not closed (line 1, column 1)' },
        ],
      }),
    )
  })
})

describe('variables', () => {
  test.each([
    '{{ contact.email }} {{ contact.firstName }} {{ contact.lastName }} {{ contact.company }}',
    '{{ contact.jobTitle }} {{ contact.phone }} {{ contact.externalId }} {{ contact.id }}',
    '{{ contact.properties.anything.deep[0] }} {{ contact.properties["a b"] }}',
    '{{ contact["email"] }} {{ contact.email.size }} {{ contact.properties[contact.email] }}',
    '{{ organization.name }} <a href="{{ unsubscribeUrl }}">x</a>',
    '{{ offer }} {{ offer.price }} {{ code }}',
    '{% assign a = contact.email %}{{ a }}{% capture b %}x{% endcapture %}{{ b }}',
    '{% for p in contact.properties.list %}{{ p.name }} {{ forloop.index }}{% endfor %}',
    '{% increment n %}{% tablerow p in contact.properties.list %}{{ p }}{% endtablerow %}',
    '{% raw %}{{ anything at all }}{% endraw %}{% comment %}{{ x }}{% endcomment %}',
    '{% case contact.company %}{% when "x" %}y{% endcase %}{% if contact.email == blank %}{% endif %}',
  ])('%s is known', (html) => {
    expect(
      problems({ html, text: '', variables: [{ name: 'offer' }], variableNames: ['code'] }),
    ).toEqual([])
  })

  test.each([
    ['{{ contact.nmae }}', 'contact.nmae'],
    ['{{ contact }}', 'contact'],
    ['{{ contact[code] }}', 'contact[code]'],
    ['{{ contact.emailStatus }}', 'contact.emailStatus'],
    ['{{ contact.__proto__ }}', 'contact.__proto__'],
    ['{{ contact.constructor }}', 'contact.constructor'],
    ['{{ constructor }}', 'constructor'],
    ['{{ organization.id }}', 'organization.id'],
    ['{{ organization }}', 'organization'],
    ['{{ process.env.PATH }}', 'process.env.PATH'],
    ['{{ firstName }}', 'firstName'],
    ['{{ "a" | append: nope }}', 'nope'],
    ['{% if nope %}{% endif %}', 'nope'],
    ['{% for p in nope %}{% endfor %}', 'nope'],
    ['{% assign a = nope %}', 'nope'],
    ['{% liquid\n echo nope %}', 'nope'],
  ])('%s is not', (html, path) => {
    expect(problems({ html, variableNames: ['code'] })).toEqual([
      expect.stringContaining(`htmlContent: Unknown variable "${path}" (line `),
    ])
  })

  test.each([
    '',
    '1a',
    'a-b',
    'a b',
    'a.b',
    '__proto__ ',
    'contact',
    'unsubscribeUrl',
    'a'.repeat(101),
  ])('a variable cannot be called "%s"', (name) => {
    expect(problems({ variables: [{ name }] })).toHaveLength(1)
    expect(problems({ variableNames: [name] })).toHaveLength(1)
  })

  test.each([
    ['plain', 'our friend'],
    ['quotes', `"double" and 'single'`],
    ['Liquid', '{{ contact.email }} {% if x %} %} }}'],
    ['markup', '<b>&amp;</b>'],
    ['letters beyond ASCII', 'Grüße 🎉'],
    ['backslashes and lines', 'a\\n\\"b\n'],
  ])('a fallback with %s stands in as it is, where a mail has no value', (_, fallback) => {
    const content = compile({
      subject: 'S {{ name }}',
      html: '<p>{{ name }}</p>',
      text: 'T {{ name }}',
      variables: [{ name: 'name', fallback }],
    })
    const render = renderer({ ...content, subject: null })
    const organization = { name: 'O' }
    expect(render({ organization }).text).toBe(`T ${fallback}`)
    expect(render({ organization, variables: { name: 'Ann' } }).text).toBe('T Ann')
    expect(render({ organization, variables: { name: 'Ann' } }).html).toBe('<p>Ann</p>')
  })

  test('a fallback that is a number or false is no text', () => {
    const variables = [
      { name: 'n', fallback: 3 },
      { name: 'off', fallback: false },
    ]
    const content = compile({
      text: '{{ n | plus: 1 }}{% if off %}on{% else %}off{% endif %}',
      variables,
    })
    expect(renderer(content)({ organization: { name: 'O' } }).text).toBe('4off')
  })

  test('a part is left as it is when it needs no fallback', () => {
    const variables = [{ name: 'name', fallback: 'friend' }]
    expect(compile({ subject: 'Hi', variables })).toMatchObject({ subject: 'Hi', html: '<p>x</p>' })
  })
})

describe('the preview text', () => {
  const bodyOf = (html: string): string => html.replaceAll('&#847;&zwnj;&nbsp;', '')

  test.each([
    [
      'behind the body tag',
      '<html><body class="a"><p>x</p></body></html>',
      '<html><body class="a">|<p>x</p></body></html>',
    ],
    ['whatever its case', '<HTML><BODY><p>x', '<HTML><BODY>|<p>x'],
    ['past a > in an attribute', '<body title="a>b"><p>x', '<body title="a>b">|<p>x'],
    [
      'past a > in Liquid',
      '<body {% if 2 > 1 %}dir="rtl"{% endif %}>x',
      '<body {% if 2 > 1 %}dir="rtl"{% endif %}>|x',
    ],
    ['in front when there is no body', '<p>x</p>', '|<p>x</p>'],
    ['but never in front of a doctype', '<!doctype html><p>x</p>', '<!doctype html>|<p>x</p>'],
  ])('stands %s', (_, html, expected) => {
    const compiled = bodyOf(compile({ html, previewText: 'PREVIEW' }).html)
    expect(compiled.replace(/<div style="display:none[^>]*>PREVIEW<\/div>/, '|')).toBe(expected)
  })

  test('is escaped, but its Liquid works and escapes its values', () => {
    const content = compile({
      previewText: 'Fish & <chips> for {{ contact.firstName | default: "<you>" }}',
    })
    const { html } = renderer(content)({
      contact: { id: '1', firstName: '<Ann>' },
      organization: { name: 'O' },
    })
    expect(html).toContain('>Fish &amp; &lt;chips&gt; for &lt;Ann&gt;&#847;')
  })

  test('is not in the text part, and is kept as it was given', () => {
    const content = compile({ previewText: 'PREVIEW' })
    expect(content.text).toBe('x')
    expect(content.previewText).toBe('PREVIEW')
  })
})

describe('the text part', () => {
  test.each([
    ['words', '<p>Fish &amp; chips</p>', 'Fish & chips'],
    [
      'Liquid in words',
      '<p>Hi {{ contact.firstName | default: "a > b  c" }},</p>',
      'Hi {{ contact.firstName | default: "a > b  c" }},',
    ],
    ['a link', '<a href="https://a.b/c">Read</a>', 'Read (https://a.b/c)'],
    ['a link that shows itself', '<a href="https://a.b">https://a.b</a>', 'https://a.b'],
    [
      'Liquid in a link',
      '<a href="{{ unsubscribeUrl }}">Leave</a>',
      'Leave ({{ unsubscribeUrl }})',
    ],
    ['cells', '<table><tr><td>A</td><td>B</td></tr><tr><td>C</td></tr></table>', 'A B\nC'],
    [
      'a loop over rows',
      '<table>{% for p in contact.properties.l %}<tr><td>{{ p }}</td></tr>{% endfor %}</table>',
      '{% for p in contact.properties.l %}\n{{ p }}\n{% endfor %}',
    ],
    [
      'a comparison',
      '{% if contact.firstName < "m" %}<p>x</p>{% endif %}',
      '{% if contact.firstName < "m" %}\n\nx\n\n{% endif %}',
    ],
    ['a list', '<ul><li>one</li><li>two</li></ul>', ' * one\n * two'.trim()],
    [
      'no styles, scripts, pictures without words',
      '<style>p{}</style><script>x</script><img src="a" alt=""><img src="b">c',
      'c',
    ],
    [
      'no title, but what is set in the head',
      '<html><head><title>T {{ contact.email }}</title>{% assign a = 1 %}</head><body>{{ a }}</body></html>',
      '{% assign a = 1 %}{{ a }}',
    ],
    ['a raw block', '<p>{% raw %}{{ x }}{% endraw %}</p>', '{% raw %}{{ x }}{% endraw %}'],
    [
      'what a picture says',
      '<p><img src="a" alt="Winter &amp; sale"> now</p>',
      'Winter & sale now',
    ],
    ['a picture alone', '<p><img src="a" alt="Winter sale"></p>', 'Winter sale'],
    [
      'a picture that is a link',
      '<a href="https://a.b/c"><img src="a" alt="Read on"></a>',
      'Read on (https://a.b/c)',
    ],
    [
      'Liquid in what a picture says',
      '<img src="a" alt="For {{ contact.firstName | default: "you" }}">',
      'For {{ contact.firstName | default: "you" }}',
    ],
    ['headings in their own case', '<h1>Big News</h1>', 'Big News'],
    ['nothing', '', ''],
  ])('is made of the HTML: %s', (_, html, text) => {
    expect(compile({ html }).text).toBe(text)
  })

  test.each([
    ['<div style="display:none">PREVIEW</div>'],
    ['<div style="DISPLAY : None !important;font-size:1px">PREVIEW<b>PREVIEW</b></div>'],
    ['<span style="max-height:0px;overflow:hidden">PREVIEW &zwnj;&nbsp;</span>'],
    ["<p style='opacity:0;color:#fff'>PREVIEW</p>"],
    ['<div hidden>PREVIEW</div>'],
    ['<div style="visibility:hidden">PREVIEW</div>'],
    ['<table style="display:none"><tr><td>PREVIEW</td></tr></table>'],
    ['<div style="display:none;color:{{ contact.firstName }}">{{ contact.email }}</div>'],
    ['<style>.pre{display:none}</style><div class="pre">PREVIEW</div>'],
  ])('has nothing that is hidden: %s', (hidden) => {
    expect(compile({ html: `<body>${hidden}<p>Hello</p></body>` }).text).toBe('Hello')
  })

  test.each([
    '<div style="display:none;display:block">Hello</div>',
    '<div style="font-size:0"><span style="font-size:16px">Hello</span></div>',
    '<div style="{% if contact.firstName %}color:red;display:none;{% endif %}">Hello</div>',
    '<div style="display:{{ contact.firstName }}">Hello</div>',
    '<div style="max-width:0">Hello</div>',
  ])('has what is seen by some: %s', (html) => {
    expect(compile({ html }).text).toContain('Hello')
  })

  test('keeps the tags of Liquid in what is hidden, and not its values', () => {
    const html =
      '<div style="display:none">{% assign a = "x" %}{{ contact.email }}{% if a %}y{% endif %}</div><p>{{ a }}</p>'
    expect(compile({ html }).text).toBe('{% assign a = "x" %}{% if a %}{% endif %}\n\n{{ a }}')
  })

  test('has no preview text of MJML', () => {
    const html =
      '<mjml><mj-head><mj-preview>PREVIEW {{ contact.email }}</mj-preview></mj-head><mj-body><mj-section><mj-column><mj-image src="https://a.b/c.png" alt="Winter"></mj-image><mj-text>Hello</mj-text></mj-column></mj-section></mj-body></mjml>'
    const { text } = compileContent({ html, sourceType: 'mjml' })
    expect(text.replace(/\s+/g, ' ')).toBe('Winter Hello')
  })

  test('is taken as given when there is one', () => {
    expect(compile({ text: 'mine {{ contact.email }}' }).text).toBe('mine {{ contact.email }}')
  })

  test('has to be given when the HTML makes none', () => {
    const html = '<script>{% assign a = 1 %}</script>{{ a }}'
    expect(problems({ html })).toEqual([
      'textContent: No text part can be generated from this HTML. Send one',
    ])
    expect(problems({ html, text: 'mine' })).toEqual([])
  })

  test.each([
    ['elements', '<div>'.repeat(190_000)],
    ['tables', '<table><tr><td>'.repeat(60_000)],
    ['lists', '<ul><li>'.repeat(100_000)],
    ['heads', '<head '.repeat(160_000)],
    ['outputs', '{{ contact.email }}'.repeat(50_000)],
    ['as many outputs as there may be', ' '.repeat(900_000) + '{{ contact.email }}'.repeat(2_000)],
    [
      'as many unknown variables as there may be',
      `${'x\n'.repeat(400_000)}{{ a${' | append: a'.repeat(5_000)} }}`,
    ],
    ['open braces', `{% raw %}${'{{ '.repeat(300_000)}{% endraw %}`],
  ])('costs little of a million characters of %s', (_, html) => {
    const before = process.cpuUsage()
    problems({ html })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })
})
