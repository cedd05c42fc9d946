import type { Condition } from '../../audience/condition.ts'
import { condition } from './condition.ts'
import { delay } from './delay.ts'
import { exit } from './exit.ts'
import type { StepRules } from './rules.ts'
import { sendEmail } from './send-email.ts'
import { sendSms } from './send-sms.ts'
import { split } from './split.ts'
import { subscribeTopic, unsubscribeTopic } from './topics.ts'
import { updateContact } from './update-contact.ts'
import { waitForEmailEngagement } from './wait-for-email-engagement.ts'
import { waitForEvent } from './wait-for-event.ts'
import { webhook } from './webhook.ts'

const STEPS = {
  send_email: sendEmail,
  send_sms: sendSms,
  delay,
  condition,
  split,
  wait_for_event: waitForEvent,
  wait_for_email_engagement: waitForEmailEngagement,
  update_contact: updateContact,
  subscribe_topic: subscribeTopic,
  unsubscribe_topic: unsubscribeTopic,
  webhook,
  exit,
}

export type StepType = keyof typeof STEPS
type ConfigOf<Type extends StepType> = Type extends StepType
  ? (typeof STEPS)[Type] extends StepRules<infer Config>
    ? Config
    : never
  : never
export type StepOf<Type extends StepType> = {
  id: string
  type: Type
  name: string
  config: ConfigOf<Type>
  position?: { x: number; y: number }
}
export type Step = { [Type in StepType]: StepOf<Type> }[StepType]

const RULES: { [Type in StepType]: StepRules<ConfigOf<Type>> } = STEPS

export const rulesOf = <Type extends StepType>({ type }: StepOf<Type>): StepRules<ConfigOf<Type>> =>
  RULES[type]

type Marked<Mark> = {
  [Type in StepType]: (typeof STEPS)[Type] extends Mark ? Type : never
}[StepType]
export type MailingType = Marked<{ mails: true }>
export type CallingType = Marked<{ calls: true }>
type TopicType = Marked<{ topic: 'needed' | 'optional' }>
/** Types of steps that concern nothing but their topic. */
type TopicOnlyType = Marked<{ topic: 'needed' }>

interface Typed {
  type: StepType
}

/* These know steps as they are stored, and as they are on the wire. */

export const isMailing = <S extends Typed>(step: S): step is Extract<S, { type: MailingType }> =>
  RULES[step.type].mails === true

export const isCalling = <S extends Typed>(step: S): step is Extract<S, { type: CallingType }> =>
  RULES[step.type].calls === true

export const namesTopic = <S extends Typed>(step: S): step is Extract<S, { type: TopicType }> =>
  RULES[step.type].topic !== undefined

export const needsTopic = <S extends Typed>(step: S): step is Extract<S, { type: TopicOnlyType }> =>
  RULES[step.type].topic === 'needed'

export const withConfig = <S extends { config: unknown }>(step: S, config: S['config']): S => ({
  ...step,
  config,
})

/** Returns the step with changed conditions. Paths begin with a field of its config. */
export function withConditions<S extends StepOf<StepType>>(step: S, change: Change): S
export function withConditions(step: StepOf<StepType>, change: Change): StepOf<StepType> {
  const { mapConditions } = rulesOf(step)
  return mapConditions ? withConfig(step, mapConditions(step.config, change)) : step
}
type Change = (condition: Condition, path: string) => Condition
