import { randomBytes } from 'node:crypto'
import type { Sql } from '../../src/store/db/sql.ts'

/** The operator's account, which assumes roles of others. */
export const OPERATOR_ACCOUNT = '000000000000'

export interface StaticCredentials {
  accessKeyId: string
  secretAccessKey: string
}

/** Credentials of the operator's programs in development. */
export const SANDBOX_CREDENTIALS: StaticCredentials = {
  accessKeyId: 'LETTERLOOMSANDBOX',
  secretAccessKey: 'letterloom-sandbox-secret',
}

export interface Credentials extends StaticCredentials {
  account: string
  /** Null: long-lived keys of the operator. */
  session: { token: string; role: string; name: string; expiresAt: number } | null
  /** Actions that the session policy allows, as `ses:SendEmail` or with `*`. Null: all. */
  actions: string[] | null
}

interface Issue {
  account: string
  role: string
  name: string
  actions: string[] | null
  expiresAt: number
}

interface Row extends StaticCredentials {
  sessionToken: string
  account: string
  role: string
  sessionName: string
  actions: string[] | null
  expiresAt: string
}

/** Long enough for a late caller to hear "expired" instead of "unknown". */
const FORGET_AFTER_MS = 86_400_000

/** Known keys: the operator's, and those that the sandbox issued, also before a restart. */
export async function loadCredentials(sql: Sql, own: readonly StaticCredentials[]) {
  const knownKeys = new Map<string, Credentials>()
  for (const each of own) {
    knownKeys.set(each.accessKeyId, {
      ...each,
      account: OPERATOR_ACCOUNT,
      session: null,
      actions: null,
    })
  }
  await sql`
    delete from sandbox.credentials
    where expires_at < ${new Date(Date.now() - FORGET_AFTER_MS).toISOString()}`
  const rows = await sql<Row[]>`
    select access_key_id, secret_access_key, session_token, account, role, session_name, actions,
      expires_at
    from sandbox.credentials`
  for (const row of rows) {
    const { accessKeyId, secretAccessKey, account, actions } = row
    const { sessionToken: token, role, sessionName: name } = row
    const session = { token, role, name, expiresAt: Date.parse(row.expiresAt) }
    knownKeys.set(accessKeyId, { accessKeyId, secretAccessKey, account, actions, session })
  }
  return {
    find: (accessKeyId: string): Credentials | undefined => knownKeys.get(accessKeyId),

    issue: async ({ account, role, name, actions, expiresAt }: Issue) => {
      const session = { token: randomBytes(96).toString('base64'), role, name, expiresAt }
      const newCredentials = {
        accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secretAccessKey: randomBytes(30).toString('base64'),
        account,
        actions,
        session,
      }
      await sql`
        insert into sandbox.credentials (access_key_id, secret_access_key, session_token, account,
          role, session_name, actions, expires_at)
        values (${newCredentials.accessKeyId}, ${newCredentials.secretAccessKey}, ${session.token}, ${account}, ${role},
          ${name}, ${actions}, ${new Date(expiresAt).toISOString()})`
      knownKeys.set(newCredentials.accessKeyId, newCredentials)
      return newCredentials
    },
  }
}
export type CredentialStore = Awaited<ReturnType<typeof loadCredentials>>

/** Returns whether the session policy allows `action` (`ses:SendEmail`). */
export const allows = ({ actions }: Credentials, action: string): boolean =>
  actions === null || actions.some((each) => matches(each, action))

function matches(pattern: string, action: string): boolean {
  if (pattern === '*' || pattern.toLowerCase() === action.toLowerCase()) return true
  if (!pattern.includes('*')) return false
  const source = pattern
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${source}$`, 'i').test(action)
}

/** ARN of the caller. */
export const arnOf = ({ account, session }: Credentials): string =>
  session
    ? `arn:aws:sts::${account}:assumed-role/${session.role}/${session.name}`
    : `arn:aws:iam::${account}:user/letterloom`
