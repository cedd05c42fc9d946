/** The parts that have a value: an absent parameter must not be sent at all. */
export function presentParts<Parts extends object>(
  parts: Parts,
): { [Name in keyof Parts]?: Exclude<Parts[Name], undefined> } {
  const present: { [Name in keyof Parts]?: Exclude<Parts[Name], undefined> } = {}
  for (const name in parts) {
    const value = parts[name]
    if (hasValue(value)) present[name] = value
  }
  return present
}

const hasValue = <Value>(value: Value): value is Exclude<Value, undefined> =>
  value !== undefined && value !== ''

/** A parameter that is one of two words. */
export const isFlag = (text: string | undefined): text is 'true' | 'false' =>
  text === 'true' || text === 'false'
