import { describe, expect, test } from 'vitest'
import { problemsOfValue, renderValue } from '../../src/mail/values.ts'

const SCOPE = {
  contact: { firstName: 'Ada', properties: { visits: 2, tags: ['a', 'b'] } },
  trigger: {
    data: {
      cartId: 'c-42',
      total: 19.5,
      gift: false,
      items: [{ sku: 'x' }, { sku: 'y' }],
      address: { city: 'Oslo' },
      text: '{{ contact.firstName }}',
      none: null,
      word: ' padded ',
    },
  },
  event: { name: 'bought', properties: { count: 0 } },
}

describe('a value', () => {
  test.each<[string, unknown]>([
    ['{{ trigger.data.cartId }}', 'c-42'],
    ['{{ trigger.data.total }}', 19.5],
    ['{{- trigger.data.total -}}', 19.5],
    [' {{ trigger.data.total }}\n', 19.5],
    ['{{ event.properties.count }}', 0],
    ['{{ trigger.data.gift }}', false],
    ['{{ trigger.data.items }}', [{ sku: 'x' }, { sku: 'y' }]],
    ['{{ trigger.data.items | map: "sku" }}', ['x', 'y']],
    ['{{ trigger.data.address }}', { city: 'Oslo' }],
    ['{{ contact.properties.visits | plus: 1 }}', 3],
    ['{{ contact.properties.tags | join: "}}" }}', 'a}}b'],
    ['{{ trigger.data.none | default: "" }}', ''],
    ['{{ trigger.data.gone | default: trigger.data.total }}', 19.5],
    ['{{ trigger.data.word }}', ' padded '],
  ])('that is one output alone keeps its type: %s', (source, value) => {
    expect(renderValue(source, SCOPE)).toEqual(value)
  })

  test.each<[string, string]>([
    ['{{ trigger.data.total }} EUR', '19.5 EUR'],
    ['{{ trigger.data.cartId }}{{ event.properties.count }}', 'c-420'],
    ['Hello {{ contact.firstName | upcase }}', 'Hello ADA'],
    ['{% if trigger.data.gift %}yes{% else %}no{% endif %}', 'no'],
    ['{% assign n = 2 %}{{ n }}', '2'],
    ['{% raw %}{{ x }}{% endraw %}', '{{ x }}'],
    ['plain', 'plain'],
  ])('of several parts is a text: %s', (source, text) => {
    expect(renderValue(source, SCOPE)).toBe(text)
  })

  test('has no half characters and no NUL, which Postgres does not keep', () => {
    const scope = { trigger: { data: { name: '😀Ada', list: ['a', 'b\0'] } } }
    expect(renderValue('{{ trigger.data.name | split: "" | first }}.', scope)).toBe('.')
    expect(renderValue('{{ trigger.data.name | split: "" | first }}', scope)).toBe('')
    expect(renderValue('{{ trigger.data.name }}', scope)).toBe('😀Ada')
    expect(renderValue('{{ trigger.data.list }}', scope)).toEqual(['a', 'b'])
  })

  test('is not rendered a second time: what a person wrote is no Liquid', () => {
    expect(renderValue('{{ trigger.data.text }}', SCOPE)).toBe('{{ contact.firstName }}')
    expect(renderValue('Hi {{ trigger.data.text }}', SCOPE)).toBe('Hi {{ contact.firstName }}')
  })

  test.each<[string, string]>([
    ['{{ trigger.data.gone }}', 'missing_value'],
    ['{{ trigger.data.none }}', 'missing_value'],
    ['Hello {{ trigger.data.gone }}', 'missing_value'],
    ['{{ trigger.data.gone | upcase }}', 'missing_value'],
    ['{{ 1 | divided_by: 0 }}', 'render_failed'],
    ['{{ (1..20000) }}', 'too_large'],
    ['{{ (1..9000000) }}', 'too_large'],
    ['{% for i in (1..9000) %}12345678{% endfor %}', 'too_large'],
  ])('that cannot be made says why: %s', (source, reason) => {
    expect(() => renderValue(source, SCOPE)).toThrow(expect.objectContaining({ reason }))
  })
})

test.each([
  '{{ contact.properties.x.y }} {{ trigger.data }} {{ event.name }}',
  '{% assign x = contact.firstName %}{{ x }}',
  'no Liquid',
])('a value that can be rendered has no problem: %s', (source) => {
  expect(problemsOfValue(source)).toEqual([])
})

test.each<[string, string]>([
  ['{{ contact.firstNmae }}', 'Unknown variable "contact.firstNmae" (line 1, column 4)'],
  ['{{ first }}', 'Unknown variable "first" (line 1, column 4)'],
  ['{{ trigger.first }}', 'Unknown variable "trigger.first" (line 1, column 4)'],
  ['{{ organization.name }}', 'Unknown variable "organization"'],
  ['{{ unsubscribeUrl }}', 'Unknown variable "unsubscribeUrl"'],
  ['{{ contact.firstName | shout }}', 'undefined filter: shout'],
  ['{{ contact.firstName', 'not closed'],
  ['{% if contact.firstName %}', 'not closed'],
  ['{% include "x" %}', 'not found'],
])('a value is checked before it is used: %s', (source, problem) => {
  expect(problemsOfValue(source).join()).toContain(problem)
})
