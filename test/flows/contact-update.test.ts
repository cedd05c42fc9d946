import { describe, expect, it } from 'vitest'
import { type ContactFields, updateContact } from '../../src/domain/flows/contact-update.ts'
import { MOST_PROPERTIES } from '../../src/domain/contacts/properties.ts'

const contact: ContactFields = {
  firstName: 'Ada',
  lastName: null,
  company: null,
  jobTitle: null,
  preferredChannel: null,
  properties: { plan: 'free', visits: 2, written: '7', tags: ['a', 'b', 'a', { x: 1 }] },
}

type Config = Parameters<typeof updateContact>[1]
const after = (config: Config) => {
  const outcome = updateContact(contact, config)
  return 'after' in outcome ? outcome.after : outcome
}
const properties = (config: Config) => {
  const fields = after(config)
  return 'properties' in fields ? fields.properties : fields
}

describe('an update', () => {
  it('sets fields and properties, and takes them away', () => {
    expect(
      after({ set: { firstName: 'Grace', lastName: 'Hopper', 'properties.plan': 'vip' } }),
    ).toMatchObject({ firstName: 'Grace', lastName: 'Hopper', properties: { plan: 'vip' } })
    expect(after({ set: { firstName: null } })).toMatchObject({ firstName: null })
    expect(after({ set: { firstName: '' } })).toMatchObject({ firstName: null })
    expect(after({ set: { company: 4711 } })).toMatchObject({ company: '4711' })
    expect(after({ unset: ['firstName', 'properties.plan', 'properties.none'] })).toEqual({
      ...contact,
      firstName: null,
      properties: { visits: 2, written: '7', tags: contact.properties['tags'] },
    })
  })

  it('adds to numbers: what is missing is 0, a text that is a number is one', () => {
    expect(properties({ increment: { 'properties.visits': 3 } })).toMatchObject({ visits: 5 })
    expect(properties({ increment: { 'properties.new': -2 } })).toMatchObject({ new: -2 })
    expect(properties({ increment: { 'properties.written': 1 } })).toMatchObject({ written: 8 })
    expect(properties({ increment: { 'properties.plan': 1 } })).toEqual({
      reason: 'not_a_number',
      error: 'properties.plan is not a number',
    })
    expect(properties({ increment: { 'properties.visits': Number.MAX_VALUE } })).toMatchObject({
      visits: Number.MAX_VALUE,
    })
    expect(
      properties({
        set: { 'properties.visits': Number.MAX_VALUE },
        increment: { 'properties.visits': Number.MAX_VALUE },
      }),
    ).toMatchObject({ reason: 'not_a_number' })
  })

  it('appends to lists and removes all that is the same', () => {
    expect(properties({ append: { 'properties.tags': 'c', 'properties.new': 1 } })).toMatchObject({
      tags: ['a', 'b', 'a', { x: 1 }, 'c'],
      new: [1],
    })
    expect(properties({ remove: { 'properties.tags': 'a' } })).toMatchObject({
      tags: ['b', { x: 1 }],
    })
    expect(properties({ remove: { 'properties.tags': { x: 1 } } })).toMatchObject({
      tags: ['a', 'b', 'a'],
    })
    expect(properties({ append: { 'properties.plan': 'c' } })).toEqual({
      reason: 'not_a_list',
      error: 'properties.plan is not a list',
    })
  })

  it('does all of it in its order', () => {
    expect(
      properties({
        increment: { 'properties.n': 1 },
        unset: ['properties.visits'],
        set: { 'properties.n': 10, 'properties.visits': 1 },
      }),
    ).toEqual({ plan: 'free', written: '7', tags: contact.properties['tags'], n: 11 })
  })

  it.each([
    { email: 'other@example.com' },
    { emailStatus: 'active' },
    { externalId: 'x' },
    { 'properties.': 1 },
    { firstName: ['x'] },
    { firstName: true },
    { firstName: 'x'.repeat(101) },
    { preferredChannel: 'fax' },
  ])('does not write %j', (set) => {
    expect(after({ set })).toMatchObject({ reason: 'field_refused' })
  })

  it('keeps the limits of properties', () => {
    const set = Object.fromEntries(
      Array.from({ length: MOST_PROPERTIES }, (_, index) => [`properties.p${index}`, index]),
    )
    expect(after({ set })).toMatchObject({ reason: 'properties_refused' })
  })

  it('takes a property for what it is called', () => {
    expect(properties({ set: { 'properties.a.b': 1 } })).toMatchObject({ 'a.b': 1 })
    const odd = after({ set: { 'properties.__proto__': { polluted: true } } })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(Object.keys('properties' in odd ? odd.properties : {})).toContain('__proto__')
  })

  it('leaves what it was given alone', () => {
    const before = structuredClone(contact)
    updateContact(contact, { set: { firstName: 'X' }, append: { 'properties.tags': 'z' } })
    expect(contact).toEqual(before)
  })
})
