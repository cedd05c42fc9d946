import type { Condition } from '../../src/domain/audience/condition.ts'
import { REFUSED } from './flow-receiver.ts'
import type { FlowSketch, StepSketch } from './flows.ts'

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomness(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const asks = (field: string, operator: string, value: unknown): Condition =>
  ({ logic: 'AND', groups: [{ filters: [{ field, operator, value }] }] }) as Condition

/** A delay as short as the workflow allows. `validate` would refuse it. */
const NAP = { amount: 0.002, unit: 'minutes' } as const

const KINDS = ['add', 'add', 'ask', 'ask', 'split', 'nap', 'odd', 'mail', 'call', 'join', 'leave']

/** Resources that steps may use. */
export interface Surroundings {
  topicId: string
  from: string
  /** URL of a receiver from `startReceiver`. */
  receiver: string
}

/**
 * A flow that mails, calls, counts, branches and waits in a few rounds. Each round counts
 * `properties.n` at its beginning, mails once and calls once, whatever way it takes.
 */
export function randomFlow(random: () => number, surroundings: Surroundings): FlowSketch {
  const { topicId, from, receiver } = surroundings
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  const length = 4 + Math.floor(random() * 6)
  const steps: StepSketch[] = [
    { id: 'begin', type: 'delay', config: NAP },
    { id: 'count', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
  ]
  const transitions = ['begin>count', 'count>s0']
  const later = (index: number): string => {
    const to = index + 1 + Math.floor(random() * 3)
    return to >= length ? 'again' : `s${to}`
  }
  for (let index = 0; index < length; index++) {
    const id = `s${index}`
    const next = index + 1 >= length ? 'again' : `s${index + 1}`
    const add = (step: Omit<StepSketch, 'id'>, ...ways: string[]): void => {
      steps.push({ id, ...step })
      transitions.push(...(ways.length > 0 ? ways : [`${id}>${next}`]))
    }
    switch (index === 0 ? 'mail' : index === 1 ? 'call' : pick(KINDS)) {
      case 'add':
        add({ type: 'update_contact', config: { increment: { [`properties.${id}`]: 1 } } })
        break
      // A word of some contacts, which cannot be added to.
      case 'odd':
        add({ type: 'update_contact', config: { increment: { 'properties.odd': 1 } } })
        break
      case 'nap':
        add({ type: 'delay', config: NAP })
        break
      case 'mail': {
        const subject = `${id} of round {{ contact.properties.n }}`
        add({ type: 'send_email', config: { from, topicId, subject, html: '<p>Hello</p>' } })
        break
      }
      case 'call': {
        const isRefused = random() < 0.3
        const url = `${receiver}${isRefused ? REFUSED : '/'}`
        // Where no branch awaits a refusal, the execution fails.
        const ways = random() < 0.3 ? [] : [`${id}:failure>${later(index)}`]
        const config = { url, method: 'POST', timeoutSeconds: 2 } as const
        add({ type: 'webhook', config }, `${id}:success>${next}`, ...ways)
        break
      }
      case 'join':
        add({ type: 'subscribe_topic', config: { topicId } })
        break
      case 'leave':
        add({ type: 'unsubscribe_topic', config: { topicId } })
        break
      case 'ask': {
        const condition = pick([
          asks('trigger.data.kind', 'equals', 'a'),
          asks('properties.n', 'greaterThan', 1 + Math.floor(random() * 3)),
        ])
        const ways = [`${id}:yes>${later(index)}`, `${id}:no>${later(index)}`]
        add({ type: 'condition', config: { condition } }, ...ways)
        break
      }
      default: {
        const branches = [
          { name: 'left', weight: 1 },
          { name: 'right', weight: 2 },
        ]
        const ways = [`${id}:left>${later(index)}`, `${id}:right>${later(index)}`]
        add({ type: 'split', config: { branches } }, ...ways)
      }
    }
  }
  const rounds = asks('properties.n', 'lessThan', 1 + Math.floor(random() * 4))
  const outcome = pick(['completed', 'cancelled', 'failed'] as const)
  steps.push(
    { id: 'again', type: 'condition', config: { condition: rounds } },
    { id: 'out', type: 'exit', config: { outcome, reason: `says_${outcome}` } },
  )
  transitions.push('again:yes>begin')
  if (random() < 0.5) transitions.push('again:no>out')
  else transitions.push('s0:never>out')
  const exits = random() < 0.3
  return {
    steps,
    transitions,
    ...(exits
      ? { settings: { exitOn: { events: [], condition: asks('properties.n', 'equals', 3) } } }
      : {}),
  }
}
