import { DELAY_UNITS, type Duration } from '../../domain/flows/duration.ts'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { isMailing } from '../../domain/flows/steps/index.ts'
import { ENGAGEMENTS } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import { conditionOf } from '../audience/condition-rows.ts'
import { Check, Field, Select } from '../ui/form.tsx'
import type { FlowDraft } from './flow-draft.ts'
import { EventFilter, EventNameField, IdChoice } from './trigger-panel.tsx'

interface DurationFieldsProps {
  label: string
  duration: Duration
  change: (duration: Duration) => void
}

function DurationFields({ label, duration, change }: DurationFieldsProps) {
  return (
    <div className="columns">
      <Field
        label={label}
        name="amount"
        type="number"
        min={1}
        max={1_000_000}
        value={duration.amount}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          change({ ...duration, amount: Number.isNaN(valueAsNumber) ? 1 : valueAsNumber })
        }
      />
      <Select
        label="Unit"
        name="unit"
        value={duration.unit}
        onChange={({ currentTarget: { value } }) => {
          const unit = DELAY_UNITS.find((each) => each === value)
          if (unit) change({ ...duration, unit })
        }}
      >
        {DELAY_UNITS.map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </Select>
    </div>
  )
}

interface Props<Type extends Step['type']> {
  step: StepOf<Type>
  change: (step: Step) => void
}

/** A span, or the next time of day. */
export function DelayFields({ step, change }: Props<'delay'>) {
  const { config } = step
  return (
    <>
      <Select
        label="How long"
        name="kind"
        value={'until' in config ? 'until' : 'span'}
        onChange={({ currentTarget: { value } }) =>
          change({
            ...step,
            config:
              value === 'until'
                ? { until: { time: '09:00', timezone: 'contact' } }
                : { amount: 1, unit: 'days' },
          })
        }
      >
        <option value="span">For a time</option>
        <option value="until">Until a time of day</option>
      </Select>
      {'until' in config ? (
        <UntilFields
          until={config.until}
          change={(until) => change({ ...step, config: { until } })}
        />
      ) : (
        <DurationFields
          label="Time"
          duration={config}
          change={(duration) => change({ ...step, config: duration })}
        />
      )}
    </>
  )
}

type Until = Extract<StepOf<'delay'>['config'], { until: unknown }>['until']

function UntilFields({ until, change }: { until: Until; change: (until: Until) => void }) {
  const { time, timezone, days } = until
  return (
    <>
      <Field
        label="Time of day"
        name="time"
        type="time"
        value={time}
        onChange={(event) => change({ ...until, time: event.currentTarget.value })}
      />
      <Field
        label="Time zone"
        name="zone"
        hint="“contact” is the one in the property timezone of the contact. Or one such as Europe/Berlin."
        value={timezone}
        maxLength={64}
        onChange={(event) => change({ ...until, timezone: event.currentTarget.value })}
      />
      <Field
        label="After so many whole days"
        name="days"
        type="number"
        min={0}
        max={366}
        value={days ?? 0}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          change({
            time,
            timezone,
            ...(valueAsNumber > 0 ? { days: Math.trunc(valueAsNumber) } : {}),
          })
        }
      />
    </>
  )
}

export function EventWaitFields({ step, change }: Props<'wait_for_event'>) {
  const { config } = step
  return (
    <>
      <EventNameField
        value={config.eventName}
        change={(eventName) => change({ ...step, config: { ...config, eventName } })}
      />
      <DurationFields
        label="At most"
        duration={config.timeout}
        change={(timeout) => change({ ...step, config: { ...config, timeout } })}
      />
      <EventFilter
        filter={config.filter}
        change={(rows) => {
          const { filter: _, ...others } = config
          change({
            ...step,
            config: rows === undefined ? others : { ...others, filter: conditionOf(rows) },
          })
        }}
      />
    </>
  )
}

const ENGAGEMENT_WORDS = {
  opened: 'It is opened',
  clicked: 'A link is clicked',
  bounced: 'It bounces',
}

interface EngagementFieldsProps extends Props<'wait_for_email_engagement'> {
  draft: FlowDraft
}

export function EngagementFields({ step, draft, change }: EngagementFieldsProps) {
  const { config } = step
  return (
    <>
      <IdChoice
        label="The mail of"
        value={config.stepId}
        choices={draft.steps.filter(isMailing)}
        choose={(stepId) => change({ ...step, config: { ...config, stepId } })}
        none="Choose …"
      />
      <fieldset className="stack close">
        <legend className="legend">Until</legend>
        {ENGAGEMENTS.map((engagement) => (
          <Check
            key={engagement}
            label={ENGAGEMENT_WORDS[engagement]}
            checked={config.events.includes(engagement)}
            onChange={({ currentTarget: { checked } }) => {
              const events = ENGAGEMENTS.filter((each) =>
                each === engagement ? checked : config.events.includes(each),
              )
              if (events.length > 0) change({ ...step, config: { ...config, events } })
            }}
          />
        ))}
      </fieldset>
      <DurationFields
        label="At most"
        duration={config.timeout}
        change={(timeout) => change({ ...step, config: { ...config, timeout } })}
      />
    </>
  )
}
