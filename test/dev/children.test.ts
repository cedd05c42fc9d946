import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startChild } from '../../src/main/dev/children.ts'
import { identify } from '../../src/main/dev/processes.ts'
import { ends, startFromElsewhere } from '../support/starters.ts'

const run = promisify(execFile)

const farewell = { signal: 'SIGTERM', graceMs: 300 } as const
const log = (): void => {}
const polite = { command: 'sleep', args: ['600'], farewell }
const stubborn = {
  command: 'sh',
  args: ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'],
  farewell,
}

test('a child ends when it is asked to', async () => {
  const child = await startChild({ ...polite, log })
  expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' })
  expect(await identify(child.pid)).toBeUndefined()
})

test('a child that does not listen is killed after the grace', async () => {
  const child = await startChild({ ...stubborn, log })
  await expect.poll(() => child.lastLines()).toBe('deaf')
  expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' })
})

test('a child leads a session of its own: Ctrl-C in our terminal is not for it', async () => {
  const child = await startChild({ ...polite, log })
  const { stdout } = await run('ps', ['-o', 'pgid=', '-p', String(child.pid)])
  expect(Number(stdout)).toBe(child.pid)
  await child.stop()
})

test('the output of a child can be read after it ended', async () => {
  const lines: string[] = []
  const child = await startChild({
    command: 'sh',
    args: ['-c', 'echo one; echo two >&2; exit 3'],
    farewell,
    log: (line) => lines.push(line),
  })
  expect(await child.exited).toEqual({ code: 3, signal: null })
  expect(child.lastLines().split('\n').sort()).toEqual(['one', 'two'])
  expect(lines.sort()).toEqual(['one', 'two'])
})

test('a program that is not there is an error, and no child', async () => {
  const starting = startChild({ command: '/no/such/program', args: [], farewell, log })
  await expect(starting).rejects.toThrow('Cannot start /no/such/program')
})

test.each([
  ['a polite child', polite],
  ['a stubborn one', stubborn],
])('%s does not outlive a parent that is killed', async (_, options) => {
  const { said, kill } = await startFromElsewhere('child', options)
  expect(await identify(said.pid)).toBeDefined()
  await kill()
  expect(await ends(said.pid)).toBe(true)
})
