import type { StepOf, StepType } from '../../../src/domain/flows/flow.ts'
import { condition } from './condition.ts'
import { delay } from './delay.ts'
import { createSendEmail, type SendEmailDeps } from './send-email.ts'
import { waitForEmailEngagement } from './wait-for-email-engagement.ts'
import { waitForEvent } from './wait-for-event.ts'
import { createSubscribeTopic, unsubscribeTopic } from './topics.ts'
import { createUpdateContact } from './update-contact.ts'
import { createWebhook, type WebhookDeps } from './webhook.ts'
import type { CallingStep, StepRun, StoredStep } from './step.ts'

export type StepDeps = SendEmailDeps & WebhookDeps

export type AnyStep = StoredStep<StepType> | CallingStep<StepType>
/**
 * Steps by type. A missing type is decided by its rules. If the rules do not decide, its executions
 * fail.
 */
export type Steps = { [Type in StepType]?: AnyStep }

export const createSteps = (deps: StepDeps): Steps => ({
  condition: stored('condition', condition),
  delay: stored('delay', delay),
  send_email: stored('send_email', createSendEmail(deps)),
  wait_for_email_engagement: stored('wait_for_email_engagement', waitForEmailEngagement),
  wait_for_event: stored('wait_for_event', waitForEvent),
  subscribe_topic: stored('subscribe_topic', createSubscribeTopic(deps)),
  unsubscribe_topic: stored('unsubscribe_topic', unsubscribeTopic),
  update_contact: stored('update_contact', createUpdateContact(deps)),
  webhook: calling('webhook', createWebhook(deps)),
})

export const isCalling = (step: AnyStep): step is CallingStep<StepType> => 'call' in step

function stored<Type extends StepType>(type: Type, step: StoredStep<Type>): AnyStep {
  const { enter, resume, locks, where, locksContact } = step
  return {
    where,
    locksContact,
    ...(locks ? { locks: (tx, run) => locks(tx, { ...run, step: stepOf(type, run.step) }) } : {}),
    enter: (tx, run) => enter(tx, ofType(type, run)),
    resume: (tx, run) => (resume ?? enter)(tx, ofType(type, run)),
  }
}

const calling = <Type extends StepType>(
  type: Type,
  { where, call }: CallingStep<Type>,
): AnyStep => ({
  where,
  call: (run, attempt) => call(ofType(type, run), attempt),
})

function stepOf<Type extends StepType>(type: Type, step: StepOf<StepType>): StepOf<Type> {
  if (!isStepOf(type, step)) throw new TypeError(`a ${step.type} step is no ${type} step`)
  return step
}

const isStepOf = <Type extends StepType>(
  type: Type,
  step: StepOf<StepType>,
): step is StepOf<Type> => step.type === type

function ofType<Type extends StepType>(type: Type, run: StepRun<StepType>): StepRun<Type> {
  if (!isOfType(type, run)) throw new TypeError(`a ${run.step.type} step is no ${type} step`)
  return run
}

const isOfType = <Type extends StepType>(
  type: Type,
  run: StepRun<StepType>,
): run is StepRun<Type> => run.step.type === type
