import { expect, test } from 'vitest'
import { renderText } from '../../src/mail/render.ts'

const scope = {
  contact: { firstName: 'Zoë "Z"', lastName: null, properties: { n: 3, tags: ['a', 'b'] } },
  trigger: { data: { plan: { name: 'vip' } } },
}

test('values are written as JSON where that is asked for, also where there are none', () => {
  const source =
    '{"a":{{ contact.firstName | json }},"b":{{ contact.lastName | json }},' +
    '"c":{{ contact.properties | json }},"d":{{ trigger.data.plan | json }},' +
    '"e":{{ nowhere.at.all | json }},"f":{{ contact.properties.n }}}'
  expect(JSON.parse(renderText(source, scope))).toEqual({
    a: 'Zoë "Z"',
    b: null,
    c: { n: 3, tags: ['a', 'b'] },
    d: { name: 'vip' },
    e: null,
    f: 3,
  })
})

test('missing and wrong values are reported with their reason', () => {
  const reasonOf = (source: string): unknown => {
    try {
      return renderText(source, scope)
    } catch (error) {
      return (error as { reason?: string }).reason
    }
  }
  expect(reasonOf('{{ contact.lastName }}')).toBe('missing_value')
  expect(reasonOf('{{ contact.lastName | default: "-" }}')).toBe('-')
  expect(reasonOf('{{ contact.properties }}')).toBe('missing_value')
  expect(reasonOf('{% if %}')).toBe('render_failed')
  expect(reasonOf('{% for i in (1..100000000) %}{{ i }}{% endfor %}')).toBe('too_large')
})
