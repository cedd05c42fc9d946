import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { checkCondition, OF_EVENTS } from '../../domain/audience/condition-check.ts'
import { ConditionBuilder } from '../audience/condition-builder.tsx'
import { conditionOf, type ConditionRows, rowsOf } from '../audience/condition-rows.ts'
import { readCondition, writeCondition } from '../audience/wire-condition.ts'
import { useHasSegments } from '../lib/plan.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/form.tsx'
import type { FlowDraft, TriggerConfig } from './flow-draft.ts'
import { TRIGGER_CHOICES } from './flow-words.ts'
import { Problems } from './problems.tsx'
import { useChoices } from './use-names.ts'

interface TriggerPanelProps {
  draft: FlowDraft
  change: (part: Partial<FlowDraft>) => void
  problems: readonly string[]
}

/** What starts the workflow. */
export function TriggerPanel({ draft, change, problems }: TriggerPanelProps) {
  const { triggerType } = draft
  const hasSegments = useHasSegments() === true
  const put = (config: TriggerConfig): void => change({ triggerConfig: config })
  const choices = TRIGGER_CHOICES.filter(
    ({ value }) => hasSegments || !value.startsWith('segment_') || value === triggerType,
  )
  return (
    <section className="stack" aria-label="Trigger">
      <h2>Trigger</h2>
      <Problems messages={problems} />
      <Select
        label="It starts when"
        name="triggerType"
        value={triggerType}
        onChange={({ currentTarget: { value } }) => {
          const chosen = TRIGGER_CHOICES.find((choice) => choice.value === value)
          if (chosen) change({ triggerType: chosen.value, triggerConfig: {} })
        }}
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <TriggerFields draft={draft} put={put} />
    </section>
  )
}

interface TriggerFieldsProps {
  draft: FlowDraft
  put: (config: TriggerConfig) => void
}

function TriggerFields({ draft: { triggerType, triggerConfig }, put }: TriggerFieldsProps) {
  const { topics, segments } = useChoices()
  switch (triggerType) {
    case 'event':
      return <EventFields config={triggerConfig} put={put} />
    case 'segment_entry':
    case 'segment_exit':
      return (
        <IdChoice
          label="Segment"
          value={triggerConfig.segmentId ?? ''}
          choices={segments}
          choose={(segmentId) => put({ ...triggerConfig, segmentId })}
          none="Choose …"
        />
      )
    case 'topic_subscribed':
    case 'topic_unsubscribed':
      return (
        <IdChoice
          label="Topic"
          value={triggerConfig.topicId ?? ''}
          choices={topics}
          choose={(topicId) => put({ ...triggerConfig, topicId })}
          none="Any topic"
        />
      )
    case 'schedule':
      return (
        <>
          <Field
            label="Times"
            name="cron"
            hint="Minute, hour, day of the month, month, day of the week: “0 9 * * mon” is every Monday at nine."
            placeholder="0 9 * * mon"
            value={triggerConfig.cron ?? ''}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => put({ ...triggerConfig, cron: event.currentTarget.value })}
          />
          <Field
            label="Time zone"
            name="timezone"
            hint="Such as Europe/Berlin. Empty: UTC."
            value={triggerConfig.timezone ?? ''}
            maxLength={64}
            autoComplete="off"
            onChange={(event) => put({ ...triggerConfig, timezone: event.currentTarget.value })}
          />
          <IdChoice
            label="Who is started"
            value={triggerConfig.segmentId ?? ''}
            choices={segments}
            choose={(segmentId) => put({ ...triggerConfig, segmentId })}
            none="Every contact"
          />
        </>
      )
    case 'contact_created':
    case 'contact_updated':
      return null
    case 'api':
      return (
        <p className="soft">
          A program calls <code>POST /v1/workflows/…/trigger</code> with the contact.
        </p>
      )
  }
}

interface EventFieldsProps {
  config: TriggerConfig
  put: (config: TriggerConfig) => void
}

function EventFields({ config, put }: EventFieldsProps) {
  const { eventName = '', filter } = config
  return (
    <>
      <EventNameField value={eventName} change={(name) => put({ ...config, eventName: name })} />
      <EventFilter
        filter={filter}
        change={(rows) => {
          const { filter: _, ...others } = config
          put(
            rows === undefined ? others : { ...others, filter: writeCondition(conditionOf(rows)) },
          )
        }}
      />
    </>
  )
}

interface EventNameFieldProps {
  value: string
  change: (name: string) => void
}

/** Names of events that came before are offered; others may be typed. */
export function EventNameField({ value, change }: EventNameFieldProps) {
  const client = useClient()
  const org = useOrganizationId()
  const id = useId()
  const events = useQuery({
    queryKey: [org, 'event-names'],
    queryFn: () => client.get('/v1/events/names', { params: { query: { limit: 100 } } }),
    staleTime: 60_000,
  })
  return (
    <>
      <Field
        label="Event"
        name="eventName"
        hint="As your programs send it, such as order_placed."
        list={id}
        value={value}
        maxLength={255}
        autoComplete="off"
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

interface EventFilterProps {
  filter: unknown
  change: (rows: ConditionRows | undefined) => void
}

const FIRST_FILTER: ConditionRows = {
  logic: 'AND',
  groups: [
    {
      isNot: false,
      rows: [{ field: 'event.properties.', operator: 'equals', value: '', unit: 'days' }],
      nested: undefined,
    },
  ],
}

/** Which events count: only those with these properties. */
export function EventFilter({ filter, change }: EventFilterProps) {
  const stored = readCondition(filter)
  // Rows that are not whole yet are no condition, and must not vanish while they are typed.
  const [rows, setRows] = useState<ConditionRows | undefined>(() =>
    stored ? rowsOf(stored) : undefined,
  )
  const put = (next: ConditionRows | undefined): void => {
    setRows(next)
    change(next)
  }
  if (!rows) {
    return (
      <div>
        <Button look="quiet" onClick={() => put(FIRST_FILTER)}>
          Only events like this …
        </Button>
      </div>
    )
  }
  const problems = Object.fromEntries(
    checkCondition(conditionOf(rows), 'filter', OF_EVENTS, { mayBeLiquid: true }).map(
      ({ path, message }) => [path, message],
    ),
  )
  return (
    <div className="stack close">
      <div className="row between">
        <h3>Only events like this</h3>
        <Button look="quiet" onClick={() => put(undefined)}>
          Every event counts
        </Button>
      </div>
      <ConditionBuilder rows={rows} change={put} askable={OF_EVENTS} problems={problems} />
    </div>
  )
}

interface IdChoiceProps {
  label: string
  value: string
  choices: readonly { id: string; name: string }[]
  choose: (id: string) => void
  none: string
}

export function IdChoice({ label, value, choices, choose, none }: IdChoiceProps) {
  const isKnown = value === '' || choices.some(({ id }) => id === value)
  return (
    <Select
      label={label}
      name={label}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{none}</option>
      {isKnown ? null : <option value={value}>{value}</option>}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  )
}
