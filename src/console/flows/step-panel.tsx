import { Trash2 } from 'lucide-react'
import { checkCondition, IN_FLOWS } from '../../domain/audience/condition-check.ts'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { ConditionBuilder } from '../audience/condition-builder.tsx'
import { conditionOf, rowsOf } from '../audience/condition-rows.ts'
import { counted } from '../lib/format.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/form.tsx'
import type { FlowDraft } from './flow-draft.ts'
import { lostWithout } from './flow-tree.ts'
import { STEP_WORDS } from './flow-words.ts'
import { MailFields } from './mail-fields.tsx'
import { Problems } from './problems.tsx'
import { IdChoice } from './trigger-panel.tsx'
import { UpdateFields } from './update-fields.tsx'
import { DelayFields, EngagementFields, EventWaitFields } from './wait-fields.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import { SplitFields } from './split-fields.tsx'
import { useChoices } from './use-names.ts'
import { usePanelHeading } from './use-panel-heading.ts'

interface StepPanelProps {
  step: Step
  draft: FlowDraft
  problems: readonly string[]
  change: (step: Step) => void
  remove: () => void
}

/** One step: its name, what it does, and taking it out. */
export function StepPanel({ step, draft, problems, change, remove }: StepPanelProps) {
  const heading = usePanelHeading()
  const lost = lostWithout(draft, step)
  return (
    <section className="stack" aria-label={STEP_WORDS[step.type].name}>
      <h2 ref={heading} tabIndex={-1}>
        {STEP_WORDS[step.type].name}
      </h2>
      <Problems messages={problems} />
      <Field
        label="Name of the step"
        name="stepName"
        value={step.name}
        maxLength={200}
        autoComplete="off"
        onChange={(event) => change({ ...step, name: event.currentTarget.value })}
      />
      <StepFields step={step} draft={draft} change={change} />
      <div>
        <Button look="danger" icon={<Trash2 aria-hidden="true" />} onClick={remove}>
          {lost.length === 0
            ? 'Remove this step'
            : `Remove it, with ${counted(lost.length, 'step')} that only it leads to`}
        </Button>
      </div>
    </section>
  )
}

interface StepFieldsProps {
  step: Step
  draft: FlowDraft
  change: (step: Step) => void
}

function StepFields({ step, draft, change }: StepFieldsProps) {
  switch (step.type) {
    case 'send_email':
      return <MailFields step={step} change={change} />
    case 'delay':
      return <DelayFields step={step} change={change} />
    case 'condition':
      return <ConditionFields step={step} change={change} />
    case 'split':
      return <SplitFields step={step} change={change} />
    case 'wait_for_event':
      return <EventWaitFields step={step} change={change} />
    case 'wait_for_email_engagement':
      return <EngagementFields step={step} draft={draft} change={change} />
    case 'update_contact':
      return <UpdateFields step={step} change={change} />
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return <TopicFields step={step} change={change} />
    case 'webhook':
      return <WebhookFields step={step} change={change} />
    case 'exit':
      return <ExitFields step={step} change={change} />
    case 'send_sms':
      return (
        <p className="soft">
          Text messages cannot be sent yet: a workflow with this step cannot be enabled.
        </p>
      )
  }
}

interface ConditionFieldsProps {
  step: StepOf<'condition'>
  change: (step: Step) => void
}

function ConditionFields({ step, change }: ConditionFieldsProps) {
  const { condition } = step.config
  const problems = Object.fromEntries(
    checkCondition(condition, 'condition', IN_FLOWS).map(({ path, message }) => [path, message]),
  )
  return (
    <div className="stack close">
      <p className="soft">Whoever is like this goes on with “Yes”, everybody else with “No”.</p>
      <ConditionBuilder
        rows={rowsOf(condition)}
        change={(rows) => change({ ...step, config: { condition: conditionOf(rows) } })}
        askable={IN_FLOWS}
        problems={problems}
      />
    </div>
  )
}

interface TopicFieldsProps {
  step: StepOf<'subscribe_topic'> | StepOf<'unsubscribe_topic'>
  change: (step: Step) => void
}

function TopicFields({ step, change }: TopicFieldsProps) {
  const { topics } = useChoices()
  return (
    <IdChoice
      label="Topic"
      value={step.config.topicId}
      choices={topics}
      choose={(topicId) => change({ ...step, config: { topicId } })}
      none="Choose …"
    />
  )
}

interface ExitFieldsProps {
  step: StepOf<'exit'>
  change: (step: Step) => void
}

const OUTCOMES = [
  { value: 'completed', label: 'Completed' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'failed', label: 'Failed: it can be retried here' },
] as const

function ExitFields({ step, change }: ExitFieldsProps) {
  const { outcome, reason = '' } = step.config
  return (
    <>
      <Select
        label="It counts as"
        name="outcome"
        value={outcome}
        onChange={({ currentTarget: { value } }) => {
          const chosen = OUTCOMES.find((each) => each.value === value)
          if (chosen) change({ ...step, config: { ...step.config, outcome: chosen.value } })
        }}
      >
        {OUTCOMES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Field
        label="Reason"
        name="reason"
        hint="Stands beside the execution."
        isOptional
        value={reason}
        maxLength={255}
        onChange={({ currentTarget: { value } }) =>
          change({ ...step, config: { outcome, ...(value === '' ? {} : { reason: value }) } })
        }
      />
    </>
  )
}
