import type { Condition, Filter } from './condition.ts'

/** A condition in one line, for a diagram. */
export const gistOfCondition = ({ logic, groups }: Condition): string =>
  groups
    .map(({ filters, nested }) => [
      ...filters.map(gistOfFilter),
      ...(nested ? [`(${gistOfCondition(nested)})`] : []),
    ])
    .map((parts) => parts.join(' and '))
    .join(logic === 'AND' ? ' and ' : ' or ')

const gistOfFilter = ({ field, operator, value, unit }: Filter): string =>
  [
    field,
    operator.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...(value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]),
    ...(unit === undefined ? [] : [unit]),
  ].join(' ')
