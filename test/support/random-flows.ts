import type { Condition } from '../../src/domain/condition.ts'
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

/** A nap as short as the workflow allows: `validate` would refuse it. */
const NAP = { amount: 0.002, unit: 'minutes' } as const

/**
 * A flow of counting, branching and napping steps that goes round a few times: whatever way it
 * takes, each round counts `properties.n` once at its beginning.
 */
export function randomFlow(random: () => number): FlowSketch {
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
    const kind = pick(['add', 'add', 'add', 'ask', 'ask', 'split', 'nap', 'odd'] as const)
    const next = index + 1 >= length ? 'again' : `s${index + 1}`
    if (kind === 'add' || kind === 'odd') {
      // `odd` is a word of some contacts, which cannot be added to.
      const increment = { [kind === 'odd' ? 'properties.odd' : `properties.${id}`]: 1 }
      steps.push({ id, type: 'update_contact', config: { increment } })
      transitions.push(`${id}>${next}`)
    } else if (kind === 'nap') {
      steps.push({ id, type: 'delay', config: NAP })
      transitions.push(`${id}>${next}`)
    } else if (kind === 'ask') {
      const condition = pick([
        asks('trigger.data.kind', 'equals', 'a'),
        asks('properties.n', 'greaterThan', 1 + Math.floor(random() * 3)),
      ])
      steps.push({ id, type: 'condition', config: { condition } })
      transitions.push(`${id}:yes>${later(index)}`, `${id}:no>${later(index)}`)
    } else {
      const branches = [
        { name: 'left', weight: 1 },
        { name: 'right', weight: 2 },
      ]
      steps.push({ id, type: 'split', config: { branches } })
      transitions.push(`${id}:left>${later(index)}`, `${id}:right>${later(index)}`)
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
