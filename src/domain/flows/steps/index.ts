import { condition } from './condition.ts'
import { delay } from './delay.ts'
import { exit } from './exit.ts'
import type { StepRules } from './rules.ts'
import { sendEmail } from './send-email.ts'
import { sendSms } from './send-sms.ts'
import { split } from './split.ts'
import { topic } from './topics.ts'
import { updateContact } from './update-contact.ts'
import { waitForEmailEngagement } from './wait-for-email-engagement.ts'
import { waitForEvent } from './wait-for-event.ts'
import { webhook } from './webhook.ts'

/** Every type of step. Besides its rules it has a schema, and an activity that runs it. */
const STEPS = {
  send_email: sendEmail,
  send_sms: sendSms,
  delay,
  condition,
  split,
  wait_for_event: waitForEvent,
  wait_for_email_engagement: waitForEmailEngagement,
  update_contact: updateContact,
  subscribe_topic: topic,
  unsubscribe_topic: topic,
  webhook,
  exit,
}

export type StepType = keyof typeof STEPS
type ConfigOf<Type extends StepType> =
  (typeof STEPS)[Type] extends StepRules<infer Config> ? Config : never
export type StepOf<Type extends StepType> = {
  id: string
  type: Type
  name: string
  config: ConfigOf<Type>
  position?: { x: number; y: number }
}
/** One step of a flow. */
export type Step = { [Type in StepType]: StepOf<Type> }[StepType]

const RULES: { [Type in StepType]: StepRules<ConfigOf<Type>> } = STEPS

/** The rules of a step, which its config fits. */
export const rulesOf = <Type extends StepType>({ type }: StepOf<Type>): StepRules<ConfigOf<Type>> =>
  RULES[type]
