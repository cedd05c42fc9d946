/** What names a person whose data are erased. */
export interface PersonNames {
  contactIds: readonly string[]
  /** Texts that nobody else has: their address and number. */
  texts: readonly string[]
}

/**
 * A JSON value without the person: of an object that is the contact nothing is left but its id, and
 * any other text that holds one of the person's is null. Everything else stays as it is.
 */
export function redact(value: unknown, person: PersonNames): unknown {
  if (typeof value === 'string') return speaksOf(value, person) ? null : value
  if (Array.isArray(value)) return value.map((each) => redact(each, person))
  if (typeof value !== 'object' || value === null) return value
  const isPerson = person.contactIds.some((id) => Reflect.get(value, 'id') === id)
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isPerson && name !== 'id' ? null : redact(each, person),
    ]),
  )
}

const speaksOf = (text: string, { texts }: PersonNames): boolean => {
  const lower = text.toLowerCase()
  return texts.some((each) => lower.includes(each.toLowerCase()))
}
