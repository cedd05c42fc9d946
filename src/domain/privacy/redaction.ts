/** What names a person whose data are erased. */
export interface PersonNames {
  contactIds: readonly string[]
  /** Texts that nobody else has: their address and number. */
  texts: readonly string[]
}

/** Fields of a mail that was made for a contact: they may name the person in other words. */
const SAID = ['subject', 'html', 'text']

/**
 * A JSON value without the person: of an object that is the contact nothing is left but its id, of
 * a mail for the contact not what it said, and any other text that holds one of the person's is
 * null. Everything else stays as it is.
 */
export function redact(value: unknown, person: PersonNames): unknown {
  if (typeof value === 'string') return speaksOf(value, person) ? null : value
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

const speaksOf = (text: string, { texts }: PersonNames): boolean => {
  const lower = text.toLowerCase()
  return texts.some((each) => lower.includes(each.toLowerCase()))
}
