import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeyHash } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const execute = promisify(execFile)

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const run = async (args: string[], env: Record<string, string> = {}) => {
  try {
    const { stdout, stderr } = await execute(process.execPath, [CLI, ...args], {
      env: { ...process.env, ...env },
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

describe('the command line', () => {
  it('lists its commands and says what each is for', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const command of [
      'dev',
      'demo',
      'api',
      'worker',
      'migrate',
      'sandbox',
      'org',
      'flows',
      'templates',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ +${command}\\b.*\\w{4}`, 'm'))
    }
  })

  it.each([
    [['demo', '--contacts', 'many'], 'whole number'],
    [['worker', '--queues', 'fast'], 'Queues are control, send, mail'],
    [['sing'], 'unknown command'],
    [['org', 'create'], '--name'],
  ])('%j is refused with words and help', async (args, words) => {
    const { code, stderr } = await run(args)
    expect(code).toBe(1)
    expect(stderr).toContain(words)
    expect(stderr).toContain('Usage:')
  })

  it.each([
    [['migrate'], { DATABASE_URL: '' }, 'DATABASE_URL is not set'],
    [['api'], { PORT: 'ninety' }, 'PORT: "ninety" is not a port'],
    [['api'], { DATABASE_URL: 'postgres://x', LETTERLOOM_KEYS: '' }, 'LETTERLOOM_KEYS is not set'],
  ])('%j with %j says what is missing', async (args, env, words) => {
    const { code, stderr } = await run(args, env)
    expect(code).toBe(1)
    expect(stderr).toContain(words)
  })

  it('migrates a database that is up to date without doing anything', async () => {
    const { stdout } = await run(['migrate'], {
      DATABASE_URL: loginUrl(database.url, 'letterloom_owner'),
    })
    expect(stdout).toBe('The schema is up to date\n')
  })

  it('makes an organization with an owner and a key that works', async () => {
    const args = ['org', 'create', '--name', 'Alice Ltd', '--owner-email', ' Alice@Example.com ']
    const { stdout } = await run(args, {
      DATABASE_URL: loginUrl(database.url, 'letterloom_worker'),
    })
    const key = /api key +(\S+)/.exec(stdout)?.[1] ?? ''
    const rows = await database.sql`
      select o.name, u.email, m.role, k.scopes
      from organizations o
      join memberships m on m.organization_id = o.id
      join users u on u.id = m.user_id
      join api_keys k on k.organization_id = o.id
      where k.hash = ${apiKeyHash(key) ?? Buffer.alloc(0)}`
    expect(rows).toEqual([
      { name: 'Alice Ltd', email: 'alice@example.com', role: 'owner', scopes: ['full'] },
    ])
  })
})
