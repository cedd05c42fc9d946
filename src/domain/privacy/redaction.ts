/** Content fields of a mail for a contact, which may name the person in other words. */
const SAID = ['subject', 'html', 'text']

export interface RedactedPerson {
  contactIds: readonly string[]
  isNamedIn: (text: string) => boolean
}

/**
 * Removes the person from a JSON value. The contact itself keeps only its id, a mail for the
 * contact loses its content, and other texts that name the person become null. Everything else is
 * unchanged.
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
