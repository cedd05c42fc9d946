import type { Draft } from '../../domain/flows/flow-check.ts'
import { nameOf } from '../../domain/flows/flow-check.ts'
import type {
  Definition,
  MailingType,
  Settings,
  Step,
  StepOf,
  StepType,
  Transition,
  Trigger,
  TriggerType,
} from '../../domain/flows/flow.ts'
import { isMailing, namesTopic, needsTopic, withConfig } from '../../domain/flows/steps/index.ts'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type { ErrorDetail } from '../../domain/errors.ts'
import { DIFFERS, givenAccount } from '../../domain/accounts/account-names.ts'
import { readSender } from '../../domain/mailbox.ts'
import type { FlowStep, FlowTransitionInput } from '../../schemas/flows/flow-steps.ts'
import type { PushedFlow } from '../../schemas/flows/flow-push.ts'
import type { FlowDefinitionInput } from '../../schemas/flows/flow.ts'

export interface TopicName {
  path: string
  /** Beginning of messages: the step and its field. */
  where: string
  topicId: string | undefined
  topicSlug: string | undefined
  isNeeded: boolean
}

export function topicNames({ triggerConfig = {}, steps }: FlowDefinitionInput): TopicName[] {
  const { topicId, topicSlug } = triggerConfig
  const ofTrigger = {
    path: 'triggerConfig',
    where: 'triggerConfig',
    topicId,
    topicSlug,
    isNeeded: false,
  }
  return [
    ofTrigger,
    ...steps.flatMap((step, index) => {
      if (!namesTopic(step)) return []
      return [
        {
          path: `steps[${index}].config`,
          where: `${nameOf(step)}: config`,
          topicId: step.config.topicId,
          topicSlug: step.config.topicSlug,
          isNeeded: needsTopic(step),
        },
      ]
    }),
  ]
}

export type TopicAt = (path: string) => string | undefined

const SETTINGS: Settings = {
  allowReentry: false,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: [] },
}

/**
 * Returns the draft of a body, with aliases resolved, defaults filled in and topic ids. Also
 * returns all problems of names and of the trigger.
 */
export function draftOf(
  input: FlowDefinitionInput,
  topicAt: TopicAt,
): { draft: Draft; problems: ErrorDetail[] } {
  const problems: ErrorDetail[] = []
  const report = (path: string, message: string): void => {
    problems.push({ path, message: `${path} ${message}` })
  }
  const { transitions = [], settings = {} } = input
  const { exitOn = {}, ...others } = settings
  const draft = {
    trigger: triggerOf(input, topicAt, report),
    steps: input.steps.map((step, index) => {
      const path = `steps[${index}].config`
      return stepOf(step, topicAt(path), (name, message) =>
        problems.push({
          path: `${path}.${name}`,
          message: `${nameOf(step)}: config.${name} ${message}`,
        }),
      )
    }),
    transitions: transitions.map((each, index) =>
      transitionOf(each, `transitions[${index}]`, report),
    ),
    settings: { ...SETTINGS, ...others, exitOn: { ...exitOn, events: exitOn.events ?? [] } },
  }
  return { draft, problems }
}

type Report = (path: string, message: string) => void

const CONFIG_OF: Record<TriggerType, readonly string[]> = {
  event: ['eventName', 'name', 'filter'],
  contact_created: [],
  contact_updated: [],
  segment_entry: ['segmentId'],
  segment_exit: ['segmentId'],
  topic_subscribed: ['topicId', 'topicSlug'],
  topic_unsubscribed: ['topicId', 'topicSlug'],
  schedule: ['cron', 'timezone', 'segmentId'],
  api: [],
}

function triggerOf(
  { triggerType: type, triggerConfig = {} }: FlowDefinitionInput,
  topicAt: TopicAt,
  report: Report,
): Trigger {
  for (const name of Object.keys(triggerConfig)) {
    if (!CONFIG_OF[type].includes(name)) {
      report(`triggerConfig.${name}`, `cannot be used with the trigger ${type}`)
    }
  }
  const needed = (name: 'eventName' | 'cron' | 'segmentId', value: string | undefined): string => {
    if (value === undefined) report(`triggerConfig.${name}`, `is required by the trigger ${type}`)
    return value ?? ''
  }
  const { eventName, name, filter, segmentId, cron, timezone = 'UTC' } = triggerConfig
  const segment = segmentId === undefined ? {} : { segmentId: segmentId.toLowerCase() }
  switch (type) {
    case 'event':
      if (eventName !== undefined && name !== undefined && eventName !== name) {
        report('triggerConfig.name', 'is an alias of eventName and differs from it')
      }
      return {
        type,
        name: needed('eventName', eventName ?? name),
        ...(filter === undefined ? {} : { filter }),
      }
    case 'segment_entry':
    case 'segment_exit':
      return { type, segmentId: needed('segmentId', segmentId?.toLowerCase()) }
    case 'topic_subscribed':
    case 'topic_unsubscribed': {
      const topicId = topicAt('triggerConfig')
      return { type, ...(topicId === undefined ? {} : { topicId }) }
    }
    case 'schedule':
      return { type, cron: needed('cron', cron), timezone, ...segment }
    default:
      return { type }
  }
}

function stepOf(step: FlowStep, topicId: string | undefined, report: Report): Step {
  if (isMailing(step)) return stored(step, mailOf(step.config, topicId, report))
  // A missing topic has been reported.
  return needsTopic(step) ? { ...step, config: { topicId: topicId ?? '' } } : step
}

function stored<Type extends StepType>(
  step: Omit<StepOf<Type>, 'config'>,
  config: StepOf<Type>['config'],
): Step
function stored(step: object, config: unknown): object {
  return { ...step, config }
}

/** Returns the mail settings of a step, with its sender split and its account under one name. */
function mailOf(
  givenConfig: Extract<FlowStep, { type: MailingType }>['config'],
  topicId: string | undefined,
  report: Report,
): StepOf<MailingType>['config'] {
  const {
    topicId: _,
    topicSlug: __,
    cloudAccountId: ___,
    awsAccountId: ____,
    ...mailFields
  } = givenConfig
  const { from, fromName, ...config } = mailFields
  const { id: account, differs } = givenAccount(givenConfig)
  if (differs) report('awsAccountId', DIFFERS)
  const { address, name, problems } = readSender(from ?? '', fromName)
  for (const { path, message } of problems) report(path, message)
  return {
    ...config,
    ...(from === undefined ? {} : { from: address }),
    ...(typeof name === 'string' ? { fromName: name } : {}),
    ...(typeof account === 'string' ? { cloudAccountId: account } : {}),
    ...(topicId === undefined ? {} : { topicId }),
  }
}

function transitionOf(transition: FlowTransitionInput, path: string, report: Report): Transition {
  const one = (name: 'from' | 'to' | 'branch', first?: string, second?: string) => {
    if (first !== undefined && second !== undefined && first !== second) {
      report(`${path}.${name}`, 'differs from its alias')
    }
    return first ?? second
  }
  const from = one('from', transition.from, transition.fromStepId)
  const to = one('to', transition.to, transition.toStepId)
  const { condition } = transition
  const branch = one(
    'branch',
    transition.branch,
    typeof condition === 'object' ? condition.branch : condition,
  )
  if (from === undefined) report(`${path}.from`, 'is required')
  if (to === undefined) report(`${path}.to`, 'is required')
  return { from: from ?? '', to: to ?? '', ...(branch === undefined ? {} : { branch }) }
}

/** Returns the steps of a push. Mails without a sender get the default one. */
export const stepsWithDefaults = ({ steps, defaults = {} }: PushedFlow): FlowStep[] =>
  steps.map((step) => {
    if (!isMailing(step)) return step
    const { from, fromName, replyTo } = defaults
    const sender = {
      ...(from === undefined ? {} : { from }),
      ...(fromName === undefined ? {} : { fromName }),
    }
    const config = {
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(step.config.from === undefined ? sender : {}),
      ...step.config,
    }
    return withConfig(step, config)
  })

export function wireOf({ trigger, entry, steps, transitions, settings }: Definition) {
  const { type: triggerType, ...config } = trigger
  const { name, ...fields } = { name: undefined, ...config }
  return {
    triggerType,
    triggerConfig: { ...(name === undefined ? {} : { eventName: name }), ...fields },
    steps,
    transitions: [{ from: TRIGGER, to: entry }, ...transitions],
    settings,
  }
}
