import { POLICY_VERSION, versionSid } from './aws-actions.ts'

const [SID_START = ''] = versionSid(0).split('0')
const SID = new RegExp(`^${SID_START}([1-9]\\d{0,5})$`)

/**
 * Returns the version in a policy document: the highest among its statements' ids, such as
 * `LetterloomV1`. Null: none, or the text is not a policy. The document comes from outside.
 */
export function versionOf(document: string): number | null {
  const versions = statementsOf(document).flatMap((statement) => {
    const [, version] = SID.exec(sidOf(statement)) ?? []
    return version === undefined ? [] : [Number(version)]
  })
  return versions.length === 0 ? null : Math.max(...versions)
}

/**
 * Returns whether a version is current. A newer version comes from a later release that was rolled
 * back, and lacks nothing.
 */
export const isUpToDate = (version: number | null): boolean =>
  version !== null && version >= POLICY_VERSION

function statementsOf(document: string): unknown[] {
  try {
    const policy: unknown = JSON.parse(document)
    if (typeof policy !== 'object' || policy === null) return []
    const statement: unknown = Reflect.get(policy, 'Statement')
    return Array.isArray(statement) ? statement : [statement]
  } catch {
    return []
  }
}

function sidOf(statement: unknown): string {
  if (typeof statement !== 'object' || statement === null) return ''
  const sid: unknown = Reflect.get(statement, 'Sid')
  return typeof sid === 'string' ? sid : ''
}
