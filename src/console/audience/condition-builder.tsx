import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { Askable } from '../../domain/audience/condition-check.ts'
import { MOST_FILTERS, type Operator, UNITS } from '../../domain/audience/condition.ts'
import { fieldOf } from '../../domain/audience/condition-fields.ts'
import { wordsOf } from '../../domain/audience/condition-sentence.ts'
import { CONTACT_COUNTS, CONTACT_TIMES } from '../../domain/contacts/contact-columns.ts'
import { TEXT_FIELDS, WORD_FIELDS } from '../../domain/contacts/contact-fields.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import {
  type ConditionRows,
  EMPTY_ROW,
  fieldWords,
  type FilterRow,
  type GroupRows,
  keptWords,
  operatorsOf,
  operatorWords,
  ROOTS,
  rootOf,
  type Row,
  valueKindOf,
  withField,
} from './condition-rows.ts'
import './condition-builder.css'

interface ConditionBuilderProps {
  rows: ConditionRows
  change: (rows: ConditionRows) => void
  /** What may be asked besides the contact: see `checkCondition`. */
  askable: readonly Askable[]
  /** What is wrong, by its path: `condition.groups[0].filters[1].value`. */
  problems: Readonly<Record<string, string>>
}

/** Groups of filters: all of a group must hold, and the groups are joined by one word. */
export function ConditionBuilder({ rows, change, askable, problems }: ConditionBuilderProps) {
  const { logic, groups } = rows
  const changeGroup = (at: number, group: GroupRows | undefined): void =>
    change({
      logic,
      groups: groups.flatMap((each, index) => (index === at ? (group ? [group] : []) : [each])),
    })
  const count = groups.reduce((sum, group) => sum + group.rows.length, 0)
  return (
    <div className="stack close">
      {groups.map((group, at) => (
        // Groups have no name but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="stack close">
          {at === 0 ? null : (
            <select
              className="input condition-logic"
              aria-label="How the groups are joined"
              value={logic}
              onChange={({ currentTarget: { value } }) =>
                change({ logic: value === 'OR' ? 'OR' : 'AND', groups })
              }
            >
              <option value="AND">and</option>
              <option value="OR">or</option>
            </select>
          )}
          <Group
            name={`Group ${at + 1}`}
            group={group}
            change={(next) => changeGroup(at, next)}
            canGo={groups.length > 1}
            askable={askable}
            problemOf={(row) => problemAt(problems, `groups[${at}].filters[${row}]`)}
            isFull={count >= MOST_FILTERS}
          />
        </div>
      ))}
      <div>
        <Button
          look="quiet"
          icon={<Plus aria-hidden="true" />}
          onClick={() =>
            change({
              logic,
              groups: [...groups, { isNot: false, rows: [EMPTY_ROW], nested: undefined }],
            })
          }
        >
          Add a group
        </Button>
      </div>
    </div>
  )
}

/** What is wrong with a filter, whichever part of it. */
function problemAt(problems: Readonly<Record<string, string>>, place: string): string | undefined {
  const [, message] =
    Object.entries(problems).find(([path]) => path.includes(`${place}.`) || path.endsWith(place)) ??
    []
  return message
}

interface GroupProps {
  name: string
  group: GroupRows
  change: (group: GroupRows | undefined) => void
  canGo: boolean
  askable: readonly Askable[]
  problemOf: (row: number) => string | undefined
  isFull: boolean
}

function Group({ name, group, change, canGo, askable, problemOf, isFull }: GroupProps) {
  const { isNot, rows, nested } = group
  const changeRow = (at: number, row: Row | undefined): void => {
    const next = rows.flatMap((each, index) => (index === at ? (row ? [row] : []) : [each]))
    change(next.length === 0 && nested === undefined ? undefined : { ...group, rows: next })
  }
  return (
    <fieldset className="condition-group">
      <legend className="read-aloud">{name}</legend>
      <div className="row between">
        <label className="check">
          <input
            type="checkbox"
            checked={isNot}
            onChange={(event) => change({ ...group, isNot: event.currentTarget.checked })}
          />
          <span>The opposite: who is not like this</span>
        </label>
        {canGo ? (
          <Button look="quiet" onClick={() => change(undefined)}>
            Remove the group
          </Button>
        ) : null}
      </div>
      {rows.map((row, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="condition-row">
          {'kept' in row ? (
            <p className="condition-kept">{keptWords(row.kept)}</p>
          ) : (
            <RowFields row={row} change={(next) => changeRow(at, next)} askable={askable} />
          )}
          {canGo || rows.length > 1 || nested !== undefined ? (
            <Button
              look="quiet"
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => changeRow(at, undefined)}
            >
              <span className="read-aloud">Remove filter {at + 1}</span>
            </Button>
          ) : null}
          <Problem>{problemOf(at)}</Problem>
        </div>
      ))}
      {nested === undefined ? null : (
        <div className="row between condition-kept">
          <span>and {wordsOf(nested)}</span>
          <Button
            look="quiet"
            icon={<Trash2 aria-hidden="true" />}
            onClick={() => change({ ...group, nested: undefined })}
          >
            <span className="read-aloud">Remove the nested condition</span>
          </Button>
        </div>
      )}
      {isFull ? null : (
        <div>
          <Button
            look="quiet"
            icon={<Plus aria-hidden="true" />}
            onClick={() => change({ ...group, rows: [...rows, EMPTY_ROW] })}
          >
            Add a filter
          </Button>
        </div>
      )}
    </fieldset>
  )
}

const Problem = ({ children }: { children: ReactNode }) =>
  children === undefined ? null : <p className="wrong">It {children}</p>

interface RowFieldsProps {
  row: FilterRow
  change: (row: FilterRow) => void
  askable: readonly Askable[]
}

function RowFields({ row, change, askable }: RowFieldsProps) {
  const { field, operator } = row
  const root = rootOf(field)
  return (
    <>
      <div className={root ? 'pair' : undefined}>
        <FieldChoice
          field={root?.root ?? field}
          choose={(chosen) => change(withField(row, chosen))}
          askable={askable}
        />
        {root ? (
          <NameInput
            label={root.name}
            isEvent={root.kind === 'stats'}
            value={field.slice(root.root.length)}
            change={(name) => change({ ...row, field: `${root.root}${name}` })}
          />
        ) : null}
      </div>
      <select
        className="input"
        aria-label="Operator"
        value={operator}
        onChange={({ currentTarget: { value } }) => {
          const chosen = operatorsOf(field).find((each) => each === value)
          if (chosen) change({ ...row, operator: chosen })
        }}
      >
        {operatorsOf(field)
          .filter((each): each is Operator => each !== 'inBucket')
          .map((each) => (
            <option key={each} value={each}>
              {operatorWords(each, field)}
            </option>
          ))}
      </select>
      <ValueInput row={row} change={change} />
    </>
  )
}

interface FieldChoiceProps {
  field: string
  choose: (field: string) => void
  askable: readonly Askable[]
}

function FieldChoice({ field, choose, askable }: FieldChoiceProps) {
  const isContact = !(askable.length === 1 && askable[0] === 'event')
  const roots = ROOTS.filter(({ root }) => {
    switch (root) {
      case 'properties.':
        return isContact
      case 'trigger.data.':
        return askable.includes('trigger')
      case 'event.properties.':
        return askable.includes('event')
      case 'event.':
        return askable.includes('stats')
    }
  })
  return (
    <select
      className="input"
      aria-label="Field"
      value={field}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <optgroup label="By name">
        {roots.map(({ root, label }) => (
          <option key={root} value={root}>
            {label}
          </option>
        ))}
        {askable.includes('topics') ? <option value="topics">Topics</option> : null}
      </optgroup>
      <Options label="The contact" fields={[...TEXT_FIELDS, ...WORD_FIELDS]} />
      <Options label="Counts" fields={CONTACT_COUNTS} />
      <Options label="Times" fields={CONTACT_TIMES} />
    </select>
  )
}

function Options({ label, fields }: { label: string; fields: readonly string[] }) {
  return (
    <optgroup label={label}>
      {fields.map((field) => (
        <option key={field} value={field}>
          {fieldWords(field)}
        </option>
      ))}
    </optgroup>
  )
}

interface NameInputProps {
  label: string
  isEvent: boolean
  value: string
  change: (name: string) => void
}

/** Names that came before are offered; others may be typed. */
function NameInput({ label, isEvent, value, change }: NameInputProps) {
  const client = useClient()
  const org = useOrganizationId()
  const id = useId()
  const events = useQuery({
    queryKey: [org, 'event-names'],
    queryFn: () => client.get('/v1/events/names', { params: { query: { limit: 100 } } }),
    enabled: isEvent,
    staleTime: 60_000,
  })
  return (
    <>
      <input
        className="input"
        aria-label={label}
        placeholder={label}
        list={id}
        maxLength={255}
        autoComplete="off"
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <datalist id={id}>
        {(events.data?.data ?? []).map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}

interface ValueInputProps {
  row: FilterRow
  change: (row: FilterRow) => void
}

function ValueInput({ row, change }: ValueInputProps) {
  const { field, value, unit } = row
  const put = (text: string): void => change({ ...row, value: text })
  switch (valueKindOf(row)) {
    case 'none':
      return <span />
    case 'word':
      return <WordChoice field={field} value={value} choose={put} />
    case 'topic':
      return <TopicChoice value={value} choose={put} />
    case 'span':
      return (
        <div className="pair">
          <ValueText type="number" min={1} value={value} put={put} />
          <select
            className="input"
            aria-label="Unit"
            value={unit}
            onChange={({ currentTarget }) => {
              const chosen = UNITS.find((each) => each === currentTarget.value)
              if (chosen) change({ ...row, unit: chosen })
            }}
          >
            {UNITS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
      )
    case 'number':
      return <ValueText type="number" value={value} put={put} />
    case 'time':
      return value.length > 10 ? (
        <ValueText value={value} put={put} />
      ) : (
        <ValueText type="date" value={value} put={put} />
      )
    case 'list':
      return <ValueText placeholder="One, another" value={value} put={put} />
    case 'text':
      return <ValueText value={value} put={put} />
  }
}

interface ValueTextProps {
  value: string
  put: (text: string) => void
  type?: 'number' | 'date'
  min?: number
  placeholder?: string
}

const ValueText = ({ value, put, type, ...rest }: ValueTextProps) => (
  <input
    className="input"
    aria-label="Value"
    type={type ?? 'text'}
    autoComplete="off"
    value={value}
    onChange={(event) => put(event.currentTarget.value)}
    {...rest}
  />
)

interface ChoiceProps {
  value: string
  choose: (value: string) => void
}

function WordChoice({ field, value, choose }: ChoiceProps & { field: string }) {
  const known = fieldOf(field)
  const words = known?.kind === 'word' ? known.words : []
  return (
    <select
      className="input"
      aria-label="Value"
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {words.includes(value) ? null : <option value={value}>Choose …</option>}
      {words.map((word) => (
        <option key={word} value={word}>
          {word.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  )
}

function TopicChoice({ value, choose }: ChoiceProps) {
  const client = useClient()
  const org = useOrganizationId()
  const { data } = useQuery({
    queryKey: [org, 'topics'],
    queryFn: () => client.get('/v1/topics', { params: { query: { limit: 100 } } }),
  })
  const topics = data?.data ?? []
  const isKnown = topics.some(({ id, slug }) => id === value || slug === value)
  return (
    <select
      className="input"
      aria-label="Topic"
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {isKnown ? null : <option value={value}>{value === '' ? 'Choose …' : value}</option>}
      {topics.map(({ id, slug, name }) => (
        // A condition may name a topic by either.
        <option key={id} value={slug === value ? slug : id}>
          {name}
        </option>
      ))}
    </select>
  )
}
