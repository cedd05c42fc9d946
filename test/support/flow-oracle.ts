import { pointOf } from '../../activities/flows/run-step.ts'
import { evaluate } from '../../src/domain/audience/condition-eval.ts'
import { type ContactFields, updateContact } from '../../src/domain/flows/contact-update.ts'
import { type Definition, MOST_VISITS, nextStep, type Step } from '../../src/domain/flows/flow.ts'
import type { EmailStatus } from '../../src/domain/status.ts'
import { branchAt } from '../../src/domain/flows/split.ts'
import { REFUSED } from './flow-receiver.ts'

/** A person before a flow runs for them. */
export interface Person {
  id: string
  /** Null: without an address. */
  emailStatus: EmailStatus | null
  /** Subscribed to the topic of the flow's mail, which is the only one. */
  isSubscribed: boolean
  properties: Record<string, unknown>
}

/** Expected end of an execution and its effects. */
export interface Foretold {
  status: string
  reason: string | null
  /** In the form of `path` in support/flows.ts. */
  path: string[]
  properties: Record<string, unknown>
  /** Subjects of the person's mails, in order. */
  mails: string[]
  /** Ids of the received calls, in order. */
  calls: string[]
}

type Stepped = { status: string; branch?: string } | { failed: string }

/**
 * Computes the outcome of an execution by the rules of the domain alone: without Postgres,
 * Temporal, crashes and clocks.
 */
export function foretell(
  definition: Definition,
  executionId: string,
  person: Person,
  data: Record<string, unknown>,
): Foretold {
  const fields: ContactFields = {
    firstName: null,
    lastName: null,
    company: null,
    jobTitle: null,
    preferredChannel: null,
    properties: person.properties,
  }
  const visits = new Map<string, number>()
  const path: string[] = []
  const mails: string[] = []
  const calls: string[] = []
  let { isSubscribed } = person
  const over = (status: string, reason: string | null = null): Foretold => ({
    status,
    reason,
    path,
    properties: fields.properties,
    mails,
    calls,
  })
  const facts = () => ({
    contact: { id: person.id, properties: fields.properties },
    trigger: data,
    now: '2026-11-21T00:00:00.000Z',
  })

  function take(step: Step, visit: number): Stepped {
    switch (step.type) {
      case 'delay':
        return { status: 'completed' }
      case 'condition':
        return {
          status: 'completed',
          branch: evaluate(step.config.condition, facts()) ? 'yes' : 'no',
        }
      case 'split':
        return {
          status: 'completed',
          branch: branchAt(step.config.branches, pointOf(executionId, step.id)),
        }
      case 'update_contact': {
        const outcome = updateContact(fields, step.config)
        if ('reason' in outcome) return { failed: outcome.reason }
        const isSame = JSON.stringify(outcome.after) === JSON.stringify(fields)
        Object.assign(fields, outcome.after)
        return { status: isSame ? 'skipped' : 'completed' }
      }
      case 'send_email': {
        if (person.emailStatus !== 'active' || !isSubscribed) return { status: 'skipped' }
        const round = String(fields.properties['n'])
        mails.push((step.config.subject ?? '').replace('{{ contact.properties.n }}', round))
        return { status: 'completed' }
      }
      case 'webhook': {
        calls.push(`${executionId}_${step.id}_${visit}`)
        if (!step.config.url.endsWith(REFUSED)) return { status: 'completed', branch: 'success' }
        const isAwaited = nextStep(definition, step.id, 'failure') !== undefined
        return isAwaited ? { status: 'completed', branch: 'failure' } : { failed: 'http_410' }
      }
      case 'subscribe_topic':
      case 'unsubscribe_topic': {
        const joins = step.type === 'subscribe_topic'
        if (isSubscribed === joins) return { status: 'skipped' }
        isSubscribed = joins
        return { status: 'completed' }
      }
      default:
        throw new Error(`nothing is foretold of ${step.type}`)
    }
  }

  let at: string | undefined = definition.entry
  while (at !== undefined) {
    const step = definition.steps.find(({ id }) => id === at)
    if (!step) throw new Error(`no step ${at}`)
    const visit = (visits.get(at) ?? 0) + 1
    visits.set(at, visit)
    if (visit > MOST_VISITS) return over('failed', 'too_many_visits')
    const { condition } = definition.settings.exitOn
    if (condition && evaluate(condition, facts())) return over('cancelled', 'exit_on')
    const name = visit === 1 ? at : `${at}#${visit}`
    if (step.type === 'exit') {
      const { outcome, reason } = step.config
      path.push(`${name} ${outcome === 'failed' ? 'failed' : 'completed'}`)
      return over(outcome, reason ?? (outcome === 'failed' ? 'exit' : null))
    }
    const stepped = take(step, visit)
    if ('failed' in stepped) {
      path.push(`${name} failed`)
      return over('failed', stepped.failed)
    }
    path.push([name, stepped.status, ...(stepped.branch ? [stepped.branch] : [])].join(' '))
    at = nextStep(definition, at, stepped.branch ?? null)
  }
  return over('completed')
}
