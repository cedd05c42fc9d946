import { POLICY_VERSION, versionSid } from './aws-actions.ts'

const [SID_START = ''] = versionSid(0).split('0')
const SID = new RegExp(`^${SID_START}([1-9]\\d{0,5})$`)

/**
 * The version that a policy document says: the highest among its statements' ids, each like
 * `LetterloomV1`. Null when none does, or the text is not a policy. The document comes from
 * outside.
 */
export function versionOf(document: string): number | null {
  const versions = statementsOf(document).flatMap((statement) => {
    const [, version] = SID.exec(sidOf(statement)) ?? []
    return version === undefined ? [] : [Number(version)]
  })
  return versions.length === 0 ? null : Math.max(...versions)
}

/**
 * A version newer than ours comes from a later release that was rolled back: nothing is lacking.
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
