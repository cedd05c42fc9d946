import { expect, test } from 'vitest'
import { createFlights } from '../../activities/delivery/flights.ts'

/** Work that ends when it is told to. */
function work() {
  let end: (error?: Error) => void = () => {}
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve())
  })
  return { run: () => ended, end }
}

test('mails are in flight until their work has ended', async () => {
  const flights = createFlights(50)
  const [one, two] = [work(), work()]
  flights.begin(30, one.run)
  flights.begin(30, two.run)
  expect([flights.room(), flights.isEmpty()]).toEqual([0, false])
  one.end()
  await flights.next()
  expect([flights.room(), flights.isEmpty()]).toEqual([20, false])
  two.end()
  await flights.landed()
  expect([flights.room(), flights.isEmpty()]).toEqual([50, true])
})

test('the error of a failed flight is thrown after all have ended', async () => {
  const flights = createFlights(50)
  const [one, two] = [work(), work()]
  flights.begin(1, one.run)
  flights.begin(1, two.run)
  one.end(new Error('refused'))
  await flights.next()
  expect([flights.hasFailed(), flights.isEmpty()]).toEqual([true, false])
  const landed = flights.landed()
  two.end()
  await expect(landed).rejects.toThrow('refused')
  expect(flights.isEmpty()).toBe(true)
})
