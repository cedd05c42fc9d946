import type { VariableMapping } from '../../schemas/batches/batch.ts'

interface Recipient {
  properties: Readonly<Record<string, unknown>>
}

/**
 * Returns the values of a batch's own variables for one contact: fixed texts, or fields of the
 * contact.
 */
export const variablesOf = (
  mappings: readonly Pick<VariableMapping, 'variableName' | 'source'>[],
  contact: Recipient,
): Record<string, unknown> =>
  Object.fromEntries(
    mappings.map(({ variableName, source }) => [
      variableName,
      source.type === 'static' ? source.value : field(contact, source.field ?? ''),
    ]),
  )

function field(contact: Recipient, name: string): unknown {
  const property = /^properties\.(.+)$/.exec(name)?.[1]
  if (property !== undefined) return contact.properties[property] ?? null
  return Object.hasOwn(contact, name) ? Reflect.get(contact, name) : null
}
