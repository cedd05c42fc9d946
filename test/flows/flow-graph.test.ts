import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hastyLoops, reachableFrom, waysOf } from '../../src/domain/flows/flow-graph.ts'
import type { Step, Transition } from '../../src/domain/flows/flow.ts'

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const step = (id: string, isDelay: boolean): Step =>
  isDelay
    ? { id, type: 'delay', name: id, config: { amount: 1, unit: 'hours' } }
    : { id, type: 'update_contact', name: id, config: { unset: ['firstName'] } }

const graph = fc.record({
  steps: fc.tuple(...IDS.map((id) => fc.boolean().map((isDelay) => step(id, isDelay)))),
  transitions: fc.array(fc.record({ from: fc.constantFrom(...IDS), to: fc.constantFrom(...IDS) }), {
    maxLength: 14,
  }),
})

/** All that comes after `id`, one way at a time: slow, and plainly right. */
function after(id: string, transitions: readonly Transition[]): Set<string> {
  const found = new Set<string>()
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const { from, to } of transitions) if (from === id || found.has(from)) found.add(to)
  }
  return found
}

test('all reachable steps are found, whatever the drawing', () => {
  fc.assert(
    fc.property(graph, ({ transitions }) => {
      const ways = waysOf(transitions)
      for (const id of IDS) {
        expect(reachableFrom(id, ways)).toEqual(new Set([id, ...after(id, transitions)]))
      }
    }),
    { numRuns: 500 },
  )
})

test('loops are the steps that lead back to one another without a delay, each in one', () => {
  fc.assert(
    fc.property(graph, ({ steps, transitions }) => {
      const delays = new Set(steps.flatMap(({ id, type }) => (type === 'delay' ? [id] : [])))
      const hasty = transitions.filter(({ from }) => !delays.has(from))
      const looping = IDS.filter((id) => after(id, hasty).has(id))
      const expected: string[][] = []
      for (const id of looping) {
        if (expected.some((loop) => loop.includes(id))) continue
        const isWith = (other: string) => after(id, hasty).has(other) && after(other, hasty).has(id)
        expected.push(looping.filter(isWith))
      }
      expect(hastyLoops(steps, transitions)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})
