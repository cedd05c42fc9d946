import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '../../client/index.ts'
import type { Config } from '../../config.ts'
import { removeData } from './data-folder.ts'
import { whenStopped } from '../programs/lifetime.ts'
import { createOrganization } from '../../core/access/organizations.ts'
import { hasPassword, setPassword } from '../../core/access/users.ts'
import { connectSandbox, startSystem, type System } from './system.ts'

const OWNER = 'owner@letterloom.example'
const PASSWORD_BYTES = 15
const ACCOUNT = { accountId: '111122223333', maxSendRate: 500, max24Hour: 1_000_000 }

interface DevOptions {
  fresh: boolean
}

/**
 * Runs the whole system until a shutdown is requested. The first start creates an organization with
 * a connected account. A shutdown during the start ends it at once, since all started programs end
 * with this process.
 */
export async function runDev(
  config: Config,
  { fresh }: DevOptions,
  stopping: AbortSignal,
): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const stopped = whenStopped(stopping)
  const folder = config.dev.folder
  if (fresh) await removeData(folder, say)
  say('Starting Letterloom on this machine …')
  const starting = startSystem(config, folder, say)
  const system = await Promise.race([starting, stopped])
  if (!system) return
  try {
    const key = await firstOrganization(system, folder)
    const password = await firstPassword(system, folder)
    say(addresses(system, { key, password }, await system.startSmtp()))
    await stopped
    say('\nStopping …')
  } finally {
    await system.stop()
  }
}

/**
 * Returns the key of the organization that the first start creates. It is stored beside the data,
 * readable by you alone.
 */
async function firstOrganization(system: System, folder: string): Promise<string> {
  const file = join(folder, 'api-key')
  const storedKey = await readFile(file, 'utf8').catch(() => undefined)
  const key = storedKey?.trim() ?? (await makeFirst(system, file))
  // At every start: the sandbox may be new, and the API may have another port than last time.
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, ACCOUNT)
  return key
}

async function makeFirst(system: System, file: string): Promise<string> {
  const { key } = await createOrganization(system.sql, {
    name: 'Letterloom Dev',
    ownerEmail: OWNER,
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return key
}

/**
 * Returns the first password of the owner in the web console. It is created once and stored beside
 * the key. Undefined after a change: only its author knows the new one.
 */
export async function firstPassword(system: System, folder: string): Promise<string | undefined> {
  const file = join(folder, 'console-password')
  const storedPassword = (await readFile(file, 'utf8').catch(() => undefined))?.trim()
  if (storedPassword !== undefined) {
    const isUnchanged = await hasPassword(system.sql, OWNER, storedPassword)
    return isUnchanged ? storedPassword : undefined
  }
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  await setPassword(system.sql, OWNER, password)
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}

interface FirstCredentials {
  key: string
  /** Undefined: it was changed. */
  password: string | undefined
}

/** `smtpPort` undefined: mail submission is off. */
export function addresses(
  system: System,
  { key, password }: FirstCredentials,
  smtpPort?: number,
): string {
  return [
    '',
    `  Console       ${system.apiUrl}/console   ${OWNER} / ${password ?? 'the password that you have set'}`,
    `  API           ${system.apiUrl}`,
    `  API docs      ${system.apiUrl}/docs`,
    `  Inbox         ${system.sandboxUrl}`,
    ...(smtpPort === undefined
      ? []
      : [`  SMTP          127.0.0.1:${smtpPort}, user letterloom, password: the API key, no TLS`]),
    ...(system.temporalUiUrl ? [`  Temporal UI   ${system.temporalUiUrl}`] : []),
    `  API key       ${key}`,
    '',
    `  Try: curl -H "Authorization: Bearer ${key}" ${system.apiUrl}/v1/contacts`,
    '  Ctrl-C stops everything.',
  ].join('\n')
}
