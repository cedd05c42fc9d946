import fc from 'fast-check'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { bodyOf } from '../../activities/aws/mail-body.ts'
import { type Mail, withSlotted } from '../../activities/mailer.ts'
import { DEFAULT_TEMPLATE } from '../../src/main/dev/default-template.ts'
import { addressHash, newKeyringText, parseKeyring, signLink } from '../../src/keys/tokens.ts'
import { preferencesUrl } from '../../src/keys/preferences-links.ts'
import { compileMails } from '../../src/mail/compiled-mails.ts'
import { compileContent, type ContentSource } from '../../src/mail/content.ts'
import { type MergeData, RenderError, renderer } from '../../src/mail/render.ts'
import { prepareInliner } from '../../src/mail/styles.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { seed, sized } from '../support/size.ts'

const keyring = parseKeyring(newKeyringText())
const publicUrl = 'https://mail.example.com'
const link = {
  organizationId: uuidv7(),
  contactId: uuidv7(),
  addressHash: addressHash(uuidv7(), 'ann@example.com'),
}
const unsubscribeUrl = `${publicUrl}/unsubscribe/${signLink(keyring, 'unsubscribe', link)}`
const urls = { unsubscribeUrl, preferencesUrl: preferencesUrl(keyring, publicUrl, link, 0) }
const ann: MergeData = {
  contact: { id: '1', email: 'ann@example.com', firstName: 'Ann', properties: { plan: 'pro' } },
  organization: { name: 'Acme', postalAddress: 'Acme & Sons\n1 Main Street' },
  ...urls,
}

interface Parts {
  subject: string
  html: string
  text: string
}

const mailOf = ({
  subject,
  html,
  text,
}: {
  subject: string
  html: string | null
  text: string | null
}): Mail => ({
  from: 'news@example.com',
  replyTo: null,
  to: 'ann@example.com',
  subject,
  html,
  text,
  headers: [{ name: 'List-Unsubscribe', value: `<${unsubscribeUrl}>` }],
  tags: [{ name: 'letterloom', value: '1' }],
})

/** The body of the mail, or the refusal. */
function endOf(make: () => Mail | undefined): string | undefined {
  try {
    const mail = make()
    return mail && bodyOf(mail, 'letterloom-set').toString('latin1')
  } catch (error) {
    if (error instanceof RenderError) return `${error.reason}: ${error.message}`
    throw error
  }
}

const endOfRenderer = (content: Parts, data: MergeData) =>
  endOf(() => mailOf(renderer(content, { marketing: true })(structuredClone(data))))

/** Undefined: the content or this mail of it is not compiled. */
const endOfCompiled = (content: Parts, data: MergeData) =>
  endOf(() => {
    const mail = compileMails(content)?.(data)
    return mail && withSlotted(mailOf({ subject: mail.subject, html: null, text: null }), mail)
  })

const contentOf = (source: Partial<ContentSource>): Parts => {
  const { subject, html, text } = compileContent({ html: '', text: '', ...source })
  return { subject: subject ?? '', html, text }
}

const { source: html, subject, previewText } = DEFAULT_TEMPLATE
beforeAll(prepareInliner)

describe('a mail of a compiled content', () => {
  test.each<[string, Partial<ContentSource>]>([
    ['the default template', { html, subject, previewText, text: null }],
    ['nothing but a text', { html: '<p>News</p>', text: 'News' }],
    ['no link to unsubscribe', { html: '<p>Dear {{ contact.firstName }}</p>' }],
    [
      'links of its own',
      { html: '<body><a href="{{ unsubscribeUrl }}">x</a> {{ contact.email }}</body>' },
    ],
    [
      'a link with a value',
      { html: '<a class=b href="https://x.example/?c={{ contact.id }}">x</a>' },
    ],
    [
      'the address',
      { html: '<p>{{ organization.postalAddress }}</p>', text: 'Acme & Sons, 1 Main Street' },
    ],
    [
      'a fallback',
      {
        html: '{{ name }}',
        subject: '{{ name }}',
        variables: [{ name: 'name', fallback: 'a "b" \\u' }],
      },
    ],
    [
      'a conditional comment',
      {
        html: '<!--[if mso]><a href="{{ unsubscribeUrl }}">x</a><![endif]--><!-- {{ contact.id }} -->',
      },
    ],
    [
      'conditions and filters',
      {
        html: '{% if contact.properties.plan == "pro" and contact.lastName %}<b>A</b>{% elsif contact.firstName %}<i>{{- contact.firstName | upcase | append: "!" -}} </i>{% endif %}{% unless contact.lastName %}x{% endunless %}',
        text: '{% assign n = contact.lastName | default: "you" %}{{ n | truncate: 2, "…" }}',
      },
    ],
    ['a missing value', { html: '{{- contact.lastName | upcase -}}' }],
    ['a value that is an object', { html: '{{ contact.properties }}' }],
    ['a subject with a line break', { subject: '{{ contact.properties.lines }}' }],
  ])('is the same with %s', (_, source) => {
    const data = {
      ...ann,
      contact: { ...ann.contact, id: '1', properties: { plan: 'pro', lines: 'a\nb' } },
    }
    const content = contentOf(source)
    expect(endOfCompiled(content, data)).toBe(endOfRenderer(content, data))
    expect(endOfCompiled(content, data)).toBeDefined()
  })

  test.each([
    ['a loop', '{% for i in (1..9) %}{{ i }}{% endfor %}'],
    ['a captured text', '{% capture a %}<b>{% endcapture %}{{ a }}'],
    ['line breaks as tags', '{{ contact.firstName | newline_to_br }}'],
    ['the present', '{{ "now" | date: "%Y" }}'],
    ['a search', '{{ contact.firstName | replace: "a", "b" }}'],
    ['a value in the name of a tag', '<h{{ contact.id }}>x'],
    ['a value before the end of a comment', '<!-- {{ contact.id }}>'],
    ['half a character beside a value', '\uD83D{{ contact.id }}'],
    ['a mark of ours', '\uE000{{ contact.id }}'],
    ['a footer in an open tag', '{{ contact.id }}<p title="'],
    ['a footer in a title', '{{ contact.id }}<title>x'],
    ['more than 200,000 characters', 'x'.repeat(200_001)],
    ['more than 500 outputs', '{{ contact.id }}'.repeat(501)],
  ])('is rendered in a thread with %s', (_, part) => {
    expect(endOfCompiled({ subject: '', html: part, text: '' }, ann)).toBeUndefined()
  })

  test.each<[string, MergeData]>([
    ['half a character at its end', { ...ann, contact: { id: '1', firstName: 'a\uD83D' } }],
    ['100,000 characters', { ...ann, contact: { id: '1', firstName: 'x'.repeat(100_001) } }],
    ['a link without a token', { ...ann, unsubscribeUrl: `${publicUrl}/unsubscribe/x` }],
  ])('is rendered in a thread if a value has %s', (_, data) => {
    expect(endOfCompiled(contentOf({ html: '{{ contact.firstName }}' }), data)).toBeUndefined()
    expect(endOfRenderer(contentOf({ html: '{{ contact.firstName }}' }), data)).toBeDefined()
  })
})

const NASTY = [
  '>',
  '"',
  "'",
  '=',
  '-',
  '--',
  '-->',
  '<!--',
  '<!--[if mso]>',
  '<![endif]-->',
  '&',
  '&amp;',
  '&lt',
  ';',
  ' ',
  '\n',
  '\t',
  '\r\n',
  '/',
  'a',
  'A',
  '<a href="',
  '<A HREF=',
  "<area href='",
  '">',
  '</a>',
  '<title>',
  '<style>',
  '</style>',
  '<body>',
  '</body>',
  '<p>',
  '</p>',
  '<br />',
  '\\',
  '\u0000',
  '\u2028',
  '😀',
  'é',
  'ses:no-track',
  '/unsubscribe/',
  'https://x.example',
  unsubscribeUrl,
  unsubscribeUrl.slice(-60),
  unsubscribeUrl.slice(0, -60),
  'Acme',
  'Acme & Sons',
  '1 Main Street',
]
/** Where these stand in a template, it is mostly not compiled. */
const DOUBTFUL = [
  '<',
  '</',
  '<!',
  '</title',
  '</bo',
  '\uD83D',
  '\uDE00',
  '\uE000',
  '\uE0000\uE001',
  '{',
  '}',
  '%',
]
const oneNasty = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.constantFrom(...DOUBTFUL) },
)
const nasty = fc.array(oneNasty, { maxLength: 4 }).map((each) => each.join(''))
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nasty },
  fc.constantFrom(null, 0, -1.5, 1e21, true, false, '', '12', 'pro', [], ['a', null, '<'], {
    a: { b: '"' },
  }),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const line = fc.oneof(nasty, fc.constant(null), fc.string({ unit: 'binary', maxLength: 5 }))
const properties = fc.record({ p: value, q: value, 'a.b': value }, { requiredKeys: [] })
const people: fc.Arbitrary<MergeData> = fc.record({
  contact: fc.record({ id: fc.constant('1'), firstName: line, lastName: line, properties }),
  organization: fc.record({
    name: fc.constantFrom('Acme', 'A "&" <B>'),
    postalAddress: fc.constantFrom(null, '1 Main Street', 'Acme & Sons\n1 Main Street'),
  }),
  unsubscribeUrl: fc.constant(unsubscribeUrl),
  preferencesUrl: fc.constant(urls.preferencesUrl),
  variables: fc.record({ v: value }, { requiredKeys: [] }),
})

const path = fc.constantFrom(
  'contact.firstName',
  'contact.lastName',
  'contact.properties.p',
  'contact.properties.q',
  'contact.properties.a.b',
  'contact.properties.none',
  'contact.properties.p.size',
  'contact.nothing',
  'v',
  'w',
  'unsubscribeUrl',
  'preferencesUrl',
  'organization.name',
  'organization.postalAddress',
  'contact',
  'nil',
  'true',
  'empty',
)
const operand = fc.oneof(path, fc.constantFrom('"x"', "'<b>'", '3', '-1.5', '"\\u0041\\""', '""'))
const PLAIN_FILTERS = [
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'escape',
  'url_encode',
  'truncate',
  'truncate: 3',
  'round',
  'abs',
  'floor',
  'ceil',
  'times: 2',
  'plus: 1',
  'divided_by: 0',
]
const OTHER_FILTERS = ['raw', 'newline_to_br', 'size', 'date: "%Y"', 'json', 'first']
const filter = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PLAIN_FILTERS) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHER_FILTERS) },
  ...['default', 'append', 'prepend'].map((name) => ({
    weight: 3,
    arbitrary: operand.map((each) => `${name}: ${each}`),
  })),
)
const filters = fc
  .array(filter, { maxLength: 2 })
  .map((each) => each.map((one) => ` | ${one}`).join(''))
const trim = fc.constantFrom('', '', '-')
const fallback = fc.constantFrom('', ' | default: "x"', ' | default: "<y>"')
const output = fc
  .tuple(trim, path, filters, fallback, trim)
  .map(([a, b, c, d, e]) => `{{${a} ${b}${c}${d} ${e}}}`)
const condition = fc.oneof(
  operand,
  fc
    .tuple(
      operand,
      fc.constantFrom('==', '!=', '<', '>', '>=', '<=', '==', '!=', 'contains'),
      operand,
    )
    .map((each) => each.join(' ')),
  fc.tuple(operand, fc.constantFrom('and', 'or'), operand).map((each) => each.join(' ')),
)
const assignment = fc.tuple(path, filters).map(([each, more]) => `{% assign w = ${each}${more} %}`)
const blockOf = (part: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom('if', 'unless'), condition, part, condition, part, part, trim)
    .map(
      ([name, a, one, b, two, three, t]) =>
        `{%${t} ${name} ${a} %}${one}{% elsif ${b} ${t}%}${two}{% else %}${three}{%${t} end${name} %}`,
    )
const OTHER_TAGS = [
  '{% capture w %}<b>{% endcapture %}',
  '{% raw %}{{ x }}{% endraw %}',
  '{% comment %}x{% endcomment %}',
]
const { part } = fc.letrec<{ part: string; piece: string }>((tie) => ({
  part: fc.array(tie('piece'), { maxLength: 6 }).map((each) => each.join('')),
  piece: fc.oneof(
    { depthSize: 'small' },
    { weight: 6, arbitrary: nasty },
    { weight: 6, arbitrary: output },
    { weight: 3, arbitrary: output.map((each) => `<a href="${each}">`) },
    { weight: 2, arbitrary: assignment },
    { weight: 3, arbitrary: blockOf(tie('part')) },
    { weight: 1, arbitrary: fc.constantFrom(...OTHER_TAGS) },
  ),
}))

it('has the same bytes, or the same refusal, whatever its template and its values are', () => {
  const found = { compiled: 0, refused: 0, others: 0 }
  const subjects = fc.oneof(
    fc.constantFrom('', 'News', '{{ contact.firstName | default: "x" }}'),
    part,
  )
  const recipients = fc.array(people, { minLength: 1, maxLength: 4 })
  const anything = fc.property(subjects, part, part, recipients, (subject, html, text, data) => {
    const content = { subject, html, text }
    if (!isValid(content)) return
    for (const each of data) {
      const end = endOfCompiled(content, each)
      expect(end).toBe(end === undefined ? undefined : endOfRenderer(content, each))
      if (end === undefined) found.others++
      else found[end.startsWith('{') ? 'compiled' : 'refused']++
    }
  })
  fc.assert(anything, { numRuns: sized(500, 50_000), seed })
  // Otherwise little was compared.
  expect(found.compiled).toBeGreaterThan(found.others / 10)
  expect(found.refused).toBeGreaterThan(found.others / 20)
})

function isValid(content: Parts): boolean {
  try {
    renderer(content)
    return true
  } catch {
    return false
  }
}
