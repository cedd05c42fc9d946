/** Fields of a mail that was made for a contact: they may name the person in other words. */
const SAID = ['subject', 'html', 'text']

/** A person who is taken out of a value. */
export interface RedactedPerson {
  contactIds: readonly string[]
  /** Whether a text names them. */
  isNamedIn: (text: string) => boolean
}

/**
 * A JSON value without the person: of an object that is the contact nothing is left but its id, of
 * a mail for the contact not what it said, and any other text that names them is null. Everything
 * else stays as it is.
 */
export function redact(value: unknown, person: RedactedPerson): unknown {
  if (typeof value === 'string') return person.isNamedIn(value) ? null : value
  if (Array.isArray(value)) return value.map((each) => redact(each, person))
  if (typeof value !== 'object' || value === null) return value
  const names = (field: string) => person.contactIds.includes(Reflect.get(value, field))
  const [isPerson, isMail] = [names('id'), names('contactId')]
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      (isPerson && name !== 'id') || (isMail && SAID.includes(name)) ? null : redact(each, person),
    ]),
  )
}
