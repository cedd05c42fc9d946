import type { StepOf } from '../../domain/flows/flow.ts'

type Update = StepOf<'update_contact'>['config']

export const WAYS = [
  { way: 'set', label: 'Set' },
  { way: 'unset', label: 'Clear' },
  { way: 'increment', label: 'Add a number to' },
  { way: 'append', label: 'Add to the list' },
  { way: 'remove', label: 'Take out of the list' },
] as const

export interface Change {
  way: (typeof WAYS)[number]['way']
  field: string
  /** Value as typed: a text, or JSON such as `true` or `["a"]`; the text `"5"` is JSON as well. */
  value: string
}

const textOf = (value: unknown): string =>
  typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value)

/** The rows of an update. */
export function changesOf({ set, unset, increment, append, remove }: Update): Change[] {
  const rows = (way: Change['way'], values: object | undefined): Change[] =>
    Object.entries(values ?? {}).map(([field, value]) => ({ way, field, value: textOf(value) }))
  return [
    ...rows('set', set),
    ...(unset ?? []).map((field) => ({ way: 'unset' as const, field, value: '' })),
    ...rows('increment', increment),
    ...rows('append', append),
    ...rows('remove', remove),
  ]
}

/** The update that rows stand for, without the ways that none goes. */
export function updateOf(changes: readonly Change[]): Update {
  const of = (way: Change['way']) => changes.filter((each) => each.way === way)
  const values = (way: Change['way']) =>
    Object.fromEntries(of(way).map(({ field, value }) => [field, valueOf(value)]))
  const numbers = Object.fromEntries(
    of('increment').map(({ field, value }) => [field, Number(value) || 0]),
  )
  const fields = of('unset').map(({ field }) => field)
  return {
    ...(of('set').length === 0 ? {} : { set: values('set') }),
    ...(fields.length === 0 ? {} : { unset: fields }),
    ...(of('increment').length === 0 ? {} : { increment: numbers }),
    ...(of('append').length === 0 ? {} : { append: values('append') }),
    ...(of('remove').length === 0 ? {} : { remove: values('remove') }),
  }
}

/** Numbers, `true`, `false`, lists and objects are meant as such; everything else is a text. */
function valueOf(text: string): unknown {
  if (!/^(?:-?\d+(?:\.\d+)?|true|false|[[{"].*)$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
