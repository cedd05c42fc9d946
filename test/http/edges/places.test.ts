import { expect, test } from 'vitest'
import { Places } from '../../../api/http/edges/places.ts'

test('who left is gone, the others stay, and a place that is free is taken again', () => {
  const places = new Places<{ name: string }>()
  const [ada, bob, eve] = [{ name: 'ada' }, { name: 'bob' }, { name: 'eve' }]
  const adas = places.enter(ada)
  places.enter(bob)
  expect([...places]).toEqual([ada, bob])

  places.leave(adas)
  expect([...places]).toEqual([bob])
  expect(places.size).toBe(1)

  expect(places.enter(eve)).toBe(adas)
  expect([...places]).toEqual([eve, bob])
  expect(places.size).toBe(2)
})
