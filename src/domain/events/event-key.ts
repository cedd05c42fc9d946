/** Identity of an event: the caller's own id, with the name and the contact. */
export interface EventKey {
  eventId: string
  name: string
  contactId: string
}

/** Returns a key as text, for sets. Neither ids nor names have control characters. */
export const textOf = ({ eventId, name, contactId }: EventKey): string =>
  `${eventId}\n${name}\n${contactId}`
