import {
  Clock,
  Flag,
  Hourglass,
  type LucideIcon,
  Mail,
  MailOpen,
  MessageSquare,
  Newspaper,
  Shuffle,
  Split,
  UserPen,
  Webhook,
} from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { wordsOf } from '../../domain/audience/condition-sentence.ts'
import {
  type Step,
  type StepType,
  TRIGGER_TYPES,
  type TriggerType,
} from '../../domain/flows/flow.ts'
import { rulesOf } from '../../domain/flows/steps/index.ts'
import { readCondition } from '../audience/wire-condition.ts'

interface StepWords {
  /** What it does: a verb. */
  name: string
  icon: LucideIcon
}

export const STEP_WORDS: Record<StepType, StepWords> = {
  send_email: { name: 'Send a mail', icon: Mail },
  send_sms: { name: 'Send a text message', icon: MessageSquare },
  delay: { name: 'Wait', icon: Clock },
  wait_for_event: { name: 'Wait for an event', icon: Hourglass },
  wait_for_email_engagement: { name: 'Wait for an open or a click', icon: MailOpen },
  condition: { name: 'Decide', icon: Split },
  split: { name: 'Split at random', icon: Shuffle },
  update_contact: { name: 'Change the contact', icon: UserPen },
  subscribe_topic: { name: 'Subscribe to a topic', icon: Newspaper },
  unsubscribe_topic: { name: 'Unsubscribe from a topic', icon: Newspaper },
  webhook: { name: 'Call a webhook', icon: Webhook },
  exit: { name: 'End here', icon: Flag },
}

const BRANCH_WORDS: Record<string, string> = {
  yes: 'Yes',
  no: 'No',
  timeout: 'If nothing comes in time',
  success: 'If it succeeds',
  failure: 'If it fails for good',
  opened: 'Opened',
  clicked: 'Clicked',
  bounced: 'Bounced',
}

export function branchWords(step: Step, branch: string): string {
  const label = rulesOf(step).branchLabel?.(step.config, branch)
  return label ?? BRANCH_WORDS[branch] ?? branch
}

/** Names of what steps refer to by id. */
export type Names = ReadonlyMap<string, string>

/** What a step does, in a few words. */
export function gistOf(step: Step, names: Names): string {
  switch (step.type) {
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return names.get(step.config.topicId) ?? 'Choose a topic'
    case 'send_email': {
      const { templateId, subject } = step.config
      if (subject !== undefined && subject !== '') return subject
      return templateId === undefined ? 'Write the mail' : (names.get(templateId) ?? 'A template')
    }
    case 'wait_for_email_engagement':
      return rulesOf(step).gist({
        ...step.config,
        stepId: names.get(step.config.stepId) ?? step.config.stepId,
      })
    default:
      return rulesOf(step).gist(step.config)
  }
}

const TRIGGER_WORDS: Record<TriggerType, string> = {
  event: 'An event comes',
  contact_created: 'A contact is added',
  contact_updated: 'A contact is changed',
  segment_entry: 'Somebody joins a segment',
  segment_exit: 'Somebody leaves a segment',
  topic_subscribed: 'Somebody subscribes to a topic',
  topic_unsubscribed: 'Somebody leaves a topic',
  schedule: 'A time comes',
  api: 'A program calls',
}

export const TRIGGER_CHOICES = TRIGGER_TYPES.map((value) => ({
  value,
  label: TRIGGER_WORDS[value],
}))

export const triggerWord = (type: TriggerType): string => TRIGGER_WORDS[type]

type Triggered = Pick<Schemas['Workflow'], 'triggerType' | 'triggerConfig'>

/** What starts it, in a sentence. */
export function triggerSentence({ triggerType, triggerConfig }: Triggered, names: Names): string {
  const {
    eventName = '…',
    filter,
    topicId,
    segmentId,
    cron = '…',
    timezone = 'UTC',
  } = triggerConfig
  const named = (id: string | undefined, any: string): string =>
    id === undefined ? any : `“${names.get(id) ?? id}”`
  switch (triggerType) {
    case 'event': {
      const condition = readCondition(filter)
      return `Starts when the event “${eventName}” comes${condition ? `, if ${wordsOf(condition)}` : ''}.`
    }
    case 'contact_created':
      return 'Starts when a contact is added.'
    case 'contact_updated':
      return 'Starts when a contact is changed.'
    case 'segment_entry':
      return `Starts when somebody joins the segment ${named(segmentId, '…')}.`
    case 'segment_exit':
      return `Starts when somebody leaves the segment ${named(segmentId, '…')}.`
    case 'topic_subscribed':
      return `Starts when somebody subscribes to ${named(topicId, 'any topic')}.`
    case 'topic_unsubscribed':
      return `Starts when somebody leaves ${named(topicId, 'any topic')}.`
    case 'schedule':
      return `Starts at ${cron} (${timezone}) for ${segmentId === undefined ? 'every contact' : `the segment ${named(segmentId, '')}`}.`
    case 'api':
      return 'Starts when a program calls its trigger.'
  }
}
