/**
 * Returns the branch for a point in [0, 1). Each branch has a part of the line in proportion to its
 * weight.
 */
export function branchAt(
  branches: readonly { name: string; weight: number }[],
  point: number,
): string {
  let remainder = point * branches.reduce((sum, { weight }) => sum + weight, 0)
  for (const { name, weight } of branches) {
    if (remainder < weight) return name
    remainder -= weight
  }
  // Rounding may leave a remainder after the last; a branch without weight is never taken.
  const last = branches.findLast(({ weight }) => weight > 0)
  if (!last) throw new RangeError('a split without a branch that weighs something')
  return last.name
}
