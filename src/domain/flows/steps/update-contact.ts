import type { Filter } from '../../audience/condition.ts'
import { evaluate } from '../../audience/condition-eval.ts'
import { overlap } from '../../audience/condition-fields.ts'
import { CONTACT_FIELDS, eachLine, FLOW_FIELDS } from '../../contacts/contact-fields.ts'
import {
  DEEPEST_PROPERTIES,
  isDeeper,
  propertyIn,
  refuseProperties,
} from '../../contacts/properties.ts'
import type { ErrorDetail } from '../../errors.ts'
import { isLiquid } from '../../liquid.ts'
import { isWithin, shown } from '../../text.ts'
import {
  type ContactFields,
  type ContactUpdate,
  updateContact as update,
} from '../contact-update.ts'
import { problem, repeated, type StepRules } from './rules.ts'

export const updateContact: StepRules<ContactUpdate> = {
  check: checkUpdate,
  mapValues: ({ set, append, remove, ...config }, change) => {
    const changed = (values: Record<string, unknown>, way: string) =>
      Object.fromEntries(
        Object.entries(values).map(([field, value]) => [field, change(value, `${way}.${field}`)]),
      )
    return {
      ...config,
      ...(set && { set: changed(set, 'set') }),
      ...(append && { append: changed(append, 'append') }),
      ...(remove && { remove: changed(remove, 'remove') }),
    }
  },
  writes: (config) => [...fieldsOf(config), 'updatedAt'],
  mayMeet,
  gist: (config) => fieldsOf(config).join(', '),
}

const fieldsOf = ({ unset = [], ...others }: ContactUpdate): string[] => [
  ...Object.values(others).flatMap((changes) => Object.keys(changes)),
  ...unset,
]

/** Operators whose result follows from the value that a step sets. */
const DECIDED: readonly string[] = [
  'equals',
  'notEquals',
  'inList',
  'notInList',
  'exists',
  'notExists',
]

const NOBODY: ContactFields = {
  ...eachLine(() => null),
  preferredChannel: null,
  properties: {},
}

/** Decides if the value is known after the step, and nothing else changes what the filter reads. */
function mayMeet(
  { set = {}, unset = [], ...others }: ContactUpdate,
  filter: Filter,
  isWanted: boolean,
): boolean {
  if (!DECIDED.includes(filter.operator)) return true
  const isAsked = (writtenField: string): boolean => overlap(writtenField, filter.field)
  const isOpen =
    fieldsOf(others).some(isAsked) ||
    [...Object.keys(set), ...unset].some((name) => isAsked(name) && name !== filter.field) ||
    isLiquid(String(set[filter.field]))
  if (isOpen) return true
  const outcome = update(NOBODY, { set, unset })
  if ('reason' in outcome) return true
  const condition = { logic: 'AND' as const, groups: [{ filters: [filter] }] }
  const contact = { id: '', ...outcome.after }
  return evaluate(condition, { contact, now: new Date(0).toISOString() }) === isWanted
}

const isProperty = (field: string): boolean => propertyIn(field) !== undefined

function checkUpdate(config: ContactUpdate, path: string): ErrorDetail[] {
  const { set = {}, unset = [], increment = {}, append = {}, remove = {} } = config
  const namedValues = [
    ...Object.entries(set).map(([field, value]) => ({ at: `set.${shown(field)}`, field, value })),
    ...unset.map((field, index) => ({ at: `unset[${index}]`, field, value: null })),
  ]
  const otherValues = Object.entries({ increment, append, remove }).flatMap(([way, values]) =>
    Object.entries(values).map(([field, value]) => ({
      at: `${way}.${shown(field)}`,
      field,
      value,
    })),
  )
  const fields = [...namedValues, ...otherValues].map(({ field }) => field)
  const places = [...namedValues, ...otherValues].map(({ at }) => at)
  if (fields.length === 0) return [problem(path, 'must change something')]
  const properties = Object.fromEntries(namedValues.map(({ field, value }) => [field, value]))
  const tooMuch = refuseProperties(properties)
  return [
    ...namedValues.flatMap(({ at, field, value }) => {
      const wrong = refuseField(field) ?? (value === null ? undefined : refuseValue(field, value))
      return wrong === undefined ? [] : [problem(`${path}.${at}`, wrong)]
    }),
    ...otherValues.flatMap(({ at, field, value }) => [
      ...(isProperty(field) ? [] : [problem(`${path}.${at}`, 'must be properties.<key>')]),
      // The contact's properties are an object around it.
      ...(isDeeper(value, DEEPEST_PROPERTIES - 1)
        ? [problem(`${path}.${at}`, `must not be nested deeper than ${DEEPEST_PROPERTIES - 1}`)]
        : []),
    ]),
    ...repeated(fields).map((index) =>
      problem(`${path}.${places[index] ?? ''}`, 'is changed already by this step'),
    ),
    ...(tooMuch === undefined ? [] : [problem(`${path}.set`, tooMuch)]),
  ]
}

const flowField = (name: string) => FLOW_FIELDS.find((field) => field === name)

const refuseField = (field: string): string | undefined =>
  flowField(field) !== undefined || isProperty(field)
    ? undefined
    : `cannot be changed by a workflow; these can: ${FLOW_FIELDS.join(', ')}, properties.<key>`

function refuseValue(name: string, value: unknown): string | undefined {
  const field = flowField(name)
  // What is rendered is checked when the contact is written.
  if (field === undefined || isLiquid(value)) return undefined
  const rule = CONTACT_FIELDS[field]
  if (rule.kind === 'word') {
    return rule.words.some((word) => word === value)
      ? undefined
      : `must be one of: ${rule.words.join(', ')}`
  }
  return typeof value === 'string' && isWithin(value, rule.most)
    ? undefined
    : `must be a text of at most ${rule.most} characters`
}
