import type { VariableMapping } from '../../schemas/batches/batch.ts'

interface Named {
  properties: Readonly<Record<string, unknown>>
}

/** Values of a batch's own variables for one contact: fixed texts, or fields of the contact. */
export const variablesOf = (
  mappings: readonly Pick<VariableMapping, 'variableName' | 'source'>[],
  contact: Named,
): Record<string, unknown> =>
  Object.fromEntries(
    mappings.map(({ variableName, source }) => [
      variableName,
      source.type === 'static' ? source.value : field(contact, source.field ?? ''),
    ]),
  )

function field(contact: Named, name: string): unknown {
  const property = /^properties\.(.+)$/.exec(name)?.[1]
  if (property !== undefined) return contact.properties[property] ?? null
  return Object.hasOwn(contact, name) ? Reflect.get(contact, name) : null
}
