import { branchAt } from '../split.ts'
import { checkNames, type StepRules } from './rules.ts'

/**
 * Distributes executions over branches at random. The same execution always takes the same branch.
 */
export const split: StepRules<{ branches: { name: string; weight: number }[] }> = {
  check: ({ branches }, path) =>
    checkNames(
      branches.map(({ name }) => name),
      (index) => `${path}.branches[${index}].name`,
    ),
  decide: ({ config: { branches } }, point) => ({
    kind: 'done',
    branch: branchAt(branches, point),
  }),
  branches: ({ branches }) => branches.map(({ name }) => name),
  shape: 'decision',
  gist: ({ branches }) => `${branches.length} ways`,
  branchLabel: ({ branches }, branch) => {
    const totalWeight = branches.reduce((sum, { weight }) => sum + weight, 0)
    const weight = branches.find(({ name }) => name === branch)?.weight ?? 0
    return `${branch} ${Math.round((weight / totalWeight) * 1_000) / 10} %`
  },
}
