import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { createLog } from '../../src/main/programs/log.ts'
import { newApiKey } from '../../src/keys/tokens.ts'
import { inject, startApi } from '../support/api.ts'

function capture() {
  let text = ''
  const log = createLog('info', 'test', { write: (line: string) => void (text += line) })
  return {
    log,
    text: () => text,
    lines: (): Record<string, unknown>[] =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}

test('fields, words, errors and what children log are scrubbed; lines stay JSON', () => {
  const { log, text, lines } = capture()
  log.info({ a: { b: { c: { d: { password: 'hunter2' } } } } }, 'mail to ada@example.com')
  log.warn('only words\nada@example.com')
  log.error(new Error('lost ada@example.com'))
  log.error({ err: new Error('x', { cause: new Error('ada@example.com') }) }, 'failed')
  log.child({ reqId: 'r1' }).info({ to: 'ada@example.com' }, 'said %s', 'ada@example.com')
  expect(text()).not.toMatch(/hunter2|ada@/)
  expect(lines()).toMatchObject([
    { name: 'test', msg: 'mail to [redacted]' },
    { msg: 'only words\n[redacted]' },
    { err: { type: 'Error', message: 'lost [redacted]', stack: expect.any(String) } },
    { msg: 'failed', err: { cause: { message: '[redacted]' } } },
    { reqId: 'r1', to: '[redacted]', msg: 'said [redacted]' },
  ])
})

test('logs of requests and failures name nobody and open nothing', async () => {
  const { log, text, lines } = capture()
  const api = await startApi()
  const app = await buildApp({ ...api.deps, log })
  const { key } = newApiKey()
  app.get('/bug', { config: { public: true } }, () => {
    throw new Error('no contact ada@example.com', { cause: new Error(`with ${key}`) })
  })
  await inject(app, { url: '/bug?search=lovelace' })
  await inject(app, { url: '/unsubscribe/secret-link-token', headers: { accept: 'text/html' } })
  await inject(app, { url: '/health', headers: { 'x-request-id': key } })
  const headers = { authorization: `Bearer ${api.alice.key}` }
  await inject(app, {
    method: 'POST',
    url: '/v1/contacts',
    headers,
    payload: { email: 'ada@example.com', firstName: 'lovelace' },
  })
  await app.close()
  await api.close()
  const answered = lines().filter(({ msg }) => msg === 'answered')
  expect(answered.map(({ route, status }) => [route, status])).toEqual([
    ['/bug', 500],
    ['/unsubscribe/:token', 400],
    ['/health', 200],
    ['/v1/contacts', 201],
  ])
  expect(answered.every(({ reqId }) => typeof reqId === 'string')).toBe(true)
  expect(lines().find(({ msg }) => msg === 'failed')).toMatchObject({ err: { type: 'Error' } })
  expect(text()).not.toMatch(/ada@|lovelace|secret-link-token|loom_[0-9A-Za-z]/)
})

test.runIf(existsSync('/dev/full'))('a full disk costs lines, not the program', () => {
  const log = new URL('../../src/main/programs/log.ts', import.meta.url).href
  const program = `import { createLog } from '${log}'; createLog('info', 'test').info('lost')`
  const { status, signal } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')] },
  )
  expect({ status, signal }).toEqual({ status: 0, signal: null })
})
