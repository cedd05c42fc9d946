import type { Schemas } from '../../client/index.ts'
import { checkDraft } from '../../domain/flows/flow-check.ts'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type {
  Settings,
  Step,
  StepType,
  Transition,
  Trigger,
  TriggerType,
} from '../../domain/flows/flow.ts'
import { rulesOf } from '../../domain/flows/steps/index.ts'
import { conditionOf, EMPTY_ROWS } from '../audience/condition-rows.ts'
import { readCondition } from '../audience/wire-condition.ts'
import { STEP_WORDS } from './flow-words.ts'

export type TriggerConfig = Schemas['TriggerConfig']

/** A workflow while somebody writes it. */
export interface FlowDraft {
  name: string
  description: string
  triggerType: TriggerType
  triggerConfig: TriggerConfig
  steps: Step[]
  /** The first one begins at the trigger. */
  transitions: Transition[]
  settings: Settings
}

export const EMPTY_FLOW: FlowDraft = {
  name: '',
  description: '',
  triggerType: 'event',
  triggerConfig: {},
  steps: [],
  transitions: [],
  settings: {
    allowReentry: false,
    reentryDelaySeconds: 0,
    maxConcurrentExecutions: null,
    contactCooldownSeconds: 0,
    exitOn: { events: [] },
  },
}

type Workflow = Pick<
  Schemas['Workflow'],
  'name' | 'description' | 'triggerType' | 'triggerConfig' | 'steps' | 'transitions' | 'settings'
>

/** What the API says of a workflow, as the domain knows it: the document nests its types looser. */
export function draftOf(workflow: Workflow): FlowDraft {
  const { steps, transitions, settings }: Pick<FlowDraft, 'steps' | 'transitions' | 'settings'> =
    JSON.parse(JSON.stringify(workflow))
  const { name, description, triggerType, triggerConfig } = workflow
  return {
    name,
    description: description ?? '',
    triggerType,
    triggerConfig,
    steps,
    transitions: transitions.some(({ from }) => from === TRIGGER)
      ? transitions
      : [...(steps[0] ? [{ from: TRIGGER, to: steps[0].id }] : []), ...transitions],
    settings: { ...settings, exitOn: { ...settings.exitOn, events: settings.exitOn.events ?? [] } },
  }
}

/** The body that a draft stands for. */
export function inputOf(draft: FlowDraft): Schemas['WorkflowInput'] {
  const { name, description, triggerType, triggerConfig, steps, transitions, settings } = draft
  return JSON.parse(
    JSON.stringify({
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      triggerType,
      triggerConfig: presentTexts(triggerConfig),
      steps: steps.map((step) => ({ ...step, config: presentTexts(step.config) })),
      transitions,
      settings,
    }),
  )
}

/** Without the texts that nobody has typed. */
const presentTexts = (config: object): object =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ''))

/** The trigger as the domain checks it. */
function triggerOf({ triggerType: type, triggerConfig }: FlowDraft): Trigger {
  const { eventName = '', filter, topicId, segmentId, cron = '', timezone = 'UTC' } = triggerConfig
  switch (type) {
    case 'event': {
      const condition = readCondition(filter)
      return { type, name: eventName, ...(condition ? { filter: condition } : {}) }
    }
    case 'segment_entry':
    case 'segment_exit':
      return { type, segmentId: segmentId ?? '' }
    case 'topic_subscribed':
    case 'topic_unsubscribed':
      return { type, ...(topicId ? { topicId } : {}) }
    case 'schedule':
      return { type, cron, timezone, ...(segmentId ? { segmentId } : {}) }
    case 'contact_created':
    case 'contact_updated':
    case 'api':
      return { type }
  }
}

export interface DraftProblem {
  path: string
  message: string
}

/** What is wrong with a draft, as far as it can be told without asking the API. */
export function problemsOf(draft: FlowDraft): DraftProblem[] {
  const { steps, transitions, settings, triggerType, triggerConfig } = draft
  const isMissing = (text: string | undefined): boolean => (text ?? '') === ''
  const own = [
    ...(draft.name.trim() === '' ? [{ path: 'name', message: 'Give it a name' }] : []),
    ...(triggerType === 'event' && isMissing(triggerConfig.eventName)
      ? [{ path: 'triggerConfig', message: 'Say which event starts it' }]
      : []),
    ...(triggerType.startsWith('segment_') && isMissing(triggerConfig.segmentId)
      ? [{ path: 'triggerConfig', message: 'Choose the segment that starts it' }]
      : []),
    ...(steps.length === 0 ? [{ path: 'steps', message: 'Add a first step' }] : []),
    ...steps.flatMap((step, at) =>
      missingIn(step).map((message) => ({
        path: `steps[${at}].config`,
        message: `Step “${step.name}”: ${message}`,
      })),
    ),
  ]
  if (own.length > 0) return own
  return checkDraft({ trigger: triggerOf(draft), steps, transitions, settings }).problems
}

/** What somebody has still to say about a step. */
function missingIn(step: Step): string[] {
  switch (step.type) {
    case 'send_email': {
      const { templateId = '', subject = '', html = '', from = '' } = step.config
      const isWritten = templateId !== '' || (subject.trim() !== '' && html.trim() !== '')
      return [
        ...(isWritten ? [] : ['write a subject and the mail, or choose a template']),
        ...(from.trim() === '' ? ['choose a sender'] : []),
      ]
    }
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return step.config.topicId === '' ? ['choose a topic'] : []
    case 'wait_for_event':
      return step.config.eventName === '' ? ['say which event'] : []
    case 'wait_for_email_engagement':
      return step.config.stepId === '' ? ['choose the step that sends the mail'] : []
    case 'webhook':
      return step.config.url === '' ? ['give an address'] : []
    default:
      return []
  }
}

/** A step of a type as it begins; its id is of no other step. */
export function newStep(type: StepType, steps: readonly Step[]): Step {
  const taken = new Set(steps.map(({ id }) => id))
  let number = 1
  while (taken.has(`${type}_${number}`)) number++
  const step = { id: `${type}_${number}`, name: STEP_WORDS[type].name }
  switch (type) {
    case 'send_email': {
      const html = '<p>Hello {{ contact.firstName | default: "there" }}</p>'
      return { ...step, type, config: { subject: '', html, from: '' } }
    }
    case 'send_sms':
      return { ...step, type, config: { body: '' } }
    case 'delay':
      return { ...step, type, config: { amount: 1, unit: 'days' } }
    case 'condition':
      return { ...step, type, config: { condition: conditionOf(EMPTY_ROWS) } }
    case 'split': {
      const branches = ['A', 'B'].map((name) => ({ name, weight: 50 }))
      return { ...step, type, config: { branches } }
    }
    case 'wait_for_event':
      return { ...step, type, config: { eventName: '', timeout: THREE_DAYS } }
    case 'wait_for_email_engagement':
      return { ...step, type, config: { stepId: '', events: ['opened'], timeout: THREE_DAYS } }
    case 'update_contact':
      return { ...step, type, config: { set: {} } }
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return { ...step, type, config: { topicId: '' } }
    case 'webhook':
      return { ...step, type, config: { url: '', method: 'POST' } }
    case 'exit':
      return { ...step, type, config: { outcome: 'completed' } }
  }
}

const THREE_DAYS = { amount: 3, unit: 'days' } as const

/** The names of the ways on from a step. Undefined stands for the only one, which has none. */
export function waysOf(step: Step): (string | undefined)[] {
  const { isLast, branches } = rulesOf(step)
  if (isLast) return []
  return branches?.(step.config) ?? [undefined]
}
