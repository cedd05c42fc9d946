import { afterEach, describe, expect, test } from 'vitest'
import { compileContent } from '../../src/mail/content.ts'
import { renderer, renderText } from '../../src/mail/render.ts'

type Values = Record<string, unknown>

const render = (text: string, properties: Values, event: Values = {}) =>
  renderer(compileContent({ html: '', text }))({
    contact: { id: '1', properties },
    organization: { name: 'Acme' },
    event: { name: 'e', properties: event },
    trigger: { data: event },
  }).text

const zone = process.env['TZ']
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

describe('a text is the same moment on every machine', () => {
  test.each([
    ['05/01/1990', '1990-05-01 00:00'],
    ['March 14, 2016', '2016-03-14 00:00'],
    ['May 1, 1990 10:00 pm', '1990-05-01 22:00'],
    ['1990-05-01', '1990-05-01 00:00'],
    ['1990-05-01T10:00', '1990-05-01 10:00'],
    ['2026-11-26 23:46:40', '2026-11-26 23:46'],
    // As conditions read them.
    ['2026-11-26T23:46:40.000+0000', '2026-11-26 23:46'],
    ['2026-11-27T00:46:40+01', '2026-11-26 23:46'],
    ['2026-11-26t23:46:40z', '2026-11-26 23:46'],
    // What names its zone keeps it.
    ['Thu, 26 Nov 2026 23:46:40 GMT', '2026-11-26 23:46'],
    ['Thu, 26 Nov 2026 23:46:40 +0100', '2026-11-26 22:46'],
    ['Thu Nov 26 2026 10:00:00 GMT+0100 (CET)', '2026-11-26 09:00'],
    ['Nov 26 2026 10:00 EST', '2026-11-26 15:00'],
    ['86400', '1970-01-02 00:00'],
    ['soon', 'soon'],
    ['2026-02-31T25:00', '2026-02-31T25:00'],
  ])('%s is %s', (at, expected) => {
    for (const machine of ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']) {
      process.env['TZ'] = machine
      expect(render('{{ contact.properties.at | date: "%Y-%m-%d %H:%M" }}', { at })).toBe(expected)
    }
  })

  test('whatever filter reads it', () => {
    process.env['TZ'] = 'America/New_York'
    const at = '05/01/1990'
    expect(render('{{ contact.properties.at | date_to_xmlschema }}', { at })).toBe(
      '1990-05-01T00:00:00+00:00',
    )
    expect(render('{{ contact.properties.at | date_to_long_string }}', { at })).toBe('01 May 1990')
    expect(render('{{ contact.properties.none | date: "%Y" | default: "never" }}', {})).toBe(
      'never',
    )
  })
})

describe('a value that is written flat is the nested one', () => {
  test.each<[Values, string, string]>([
    [{ 'address.city': 'Berlin' }, 'address.city', 'Berlin'],
    [{ 'address.city': 'Berlin' }, '["address.city"]', 'Berlin'],
    [{ address: { city: 'Berlin' } }, '["address.city"]', 'Berlin'],
    [{ 'a.b.c': 1 }, 'a.b.c', '1'],
    [{ 'a.b': { c: 1 } }, 'a.b.c', '1'],
    [{ 'a.b': { c: 1 } }, '["a.b.c"]', '1'],
    [{ a: { 'x.y': 0, b: { c: 1 } } }, '["a.b"].c', '1'],
    [{ 'a.b': 1, a: { c: 2 } }, 'a.c', '2'],
    // As conditions decide.
    [{ 'a.b': 1, a: { b: 2 } }, 'a.b', '1'],
    [{ 'a.b': 1, a: 'text' }, 'a', 'text'],
    [{ 'a.b': 1, a: 'text' }, '["a.b"]', '1'],
  ])('%j: %s is %s', (values, path, expected) => {
    const at = path.startsWith('[') ? path : `.${path}`
    for (const root of ['contact.properties', 'event.properties', 'trigger.data']) {
      expect(render(`{{ ${root}${at} }}`, values, values)).toBe(expected)
      const scope = { contact: { properties: values }, event: { properties: values } }
      expect(renderText(`{{ ${root}${at} }}`, { ...scope, trigger: { data: values } })).toBe(
        expected,
      )
    }
  })

  test('and is listed and printed once, as it was written', () => {
    const values = { 'a.b': 1, c: { d: 2 } }
    expect(render('{{ contact.properties | json }}', values)).toBe('{"a.b":1,"c":{"d":2}}')
    const each = '{% for each in contact.properties %}{{ each[0] }} {% endfor %}'
    expect(render(each, values)).toBe('a.b c ')
    expect(values).toEqual({ 'a.b': 1, c: { d: 2 } })
  })

  test('and names of prototypes are names', () => {
    const values = JSON.parse('{"__proto__.x":1,"constructor.y":2,"a":{"__proto__":{"z":3}}}')
    expect(render('{{ contact.properties["__proto__"].x }}', values)).toBe('1')
    expect(render('{{ contact.properties.constructor.y }}', values)).toBe('2')
    expect(render('{{ contact.properties["a.__proto__.z"] }}', values)).toBe('3')
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})
