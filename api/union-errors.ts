import type { ErrorObject } from 'ajv/dist/2020.js'

/** The field that tells the branches of a union apart. */
const KIND = 'type'

/**
 * Where a value is to be one of several kinds, told apart by its `type`: without what the other
 * kinds have against it. Of a value that is of no kind, only that is left: an error of its `type`
 * that lists the kinds. Kinds without a `type` are told apart by their fields: what is left is of
 * those that know most of the value's.
 */
export function meant(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  let left = [...errors]
  for (const { instancePath, schemaPath } of unions) {
    const kindPath = `${instancePath}/${KIND}`
    const isOfUnion = (error: ErrorObject) =>
      error.schemaPath.startsWith(`${schemaPath}/`) && isWithin(error.instancePath, instancePath)
    const own = left.filter(isOfUnion)
    const branchOf = ({ schemaPath: path }: ErrorObject) =>
      path.slice(schemaPath.length + 1).split('/', 1)[0] ?? ''
    const isOtherKind = (error: ErrorObject) =>
      error.instancePath === kindPath && error.keyword === 'const'
    const others = new Set(own.filter(isOtherKind).map(branchOf))
    if (others.size === 0) {
      const nearest = nearestOf(own, branchOf, instancePath)
      left = left.filter((error) => !isOfUnion(error) || nearest.has(branchOf(error)))
      continue
    }
    const rest = own.filter((error) => !others.has(branchOf(error)))
    const known = own.filter(isOtherKind).map(({ params }): unknown => params['allowedValue'])
    const [first] = own.filter(isOtherKind)
    const none = rest.length === 0 && first ? [asEnum(first, known)] : []
    left = [...left.filter((error) => !isOfUnion(error)), ...rest, ...none]
  }
  return left
}

/** The branches of a union to which the fewest fields of the value are unknown. */
function nearestOf(
  errors: readonly ErrorObject[],
  branchOf: (error: ErrorObject) => string,
  place: string,
): Set<string> {
  const unknown = new Map<string, number>()
  for (const error of errors) {
    const isUnknown = error.keyword === 'additionalProperties' && error.instancePath === place
    const branch = branchOf(error)
    unknown.set(branch, (unknown.get(branch) ?? 0) + (isUnknown ? 1 : 0))
  }
  const least = Math.min(...unknown.values())
  return new Set([...unknown].flatMap(([branch, count]) => (count === least ? [branch] : [])))
}

const isWithin = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`)

const asEnum = (error: ErrorObject, allowedValues: unknown[]): ErrorObject => ({
  ...error,
  keyword: 'enum',
  params: { allowedValues },
})
