import type { CheckError } from '../../src/domain/accounts/verification.ts'

const DENIED = ['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation']
const THROTTLED =
  /^(Throttl|TooManyRequests|RequestLimitExceeded|ProvisionedThroughputExceeded|SlowDown)/
/**
 * Problems of our own: the credentials of the operator or of the session, the clock, the region.
 */
const NOT_ABOUT_PERMISSIONS =
  /^(Expired|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|RegionDisabled|RequestTimeout)/

export const isDenied = (error: unknown): boolean =>
  error instanceof Error && DENIED.includes(error.name)

/**
 * Returns the permission error in an error of the SDK. Undefined: the permission exists, since
 * other refusals come after the permission was checked.
 */
export function permissionError(error: unknown): CheckError | undefined {
  if (!(error instanceof Error)) return 'no_answer'
  if (isDenied(error)) return 'denied'
  if (THROTTLED.test(error.name)) return 'throttled'
  if (NOT_ABOUT_PERMISSIONS.test(error.name)) return 'no_answer'
  const status = statusOf(error)
  if (status === 429) return 'throttled'
  return status !== undefined && status >= 400 && status < 500 ? undefined : 'no_answer'
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = Reflect.get(error, '$metadata')
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const status: unknown = Reflect.get(metadata, 'httpStatusCode')
  return typeof status === 'number' ? status : undefined
}

export interface Deadline {
  signal: AbortSignal
  before<T>(work: Promise<T>): Promise<T>
  clear(): void
}

export function deadline(ms: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  const late = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(new Error('no answer in time')), {
      once: true,
    })
  })
  // Nobody may be waiting for it. An unobserved rejection would end the process.
  late.catch(() => {})
  return {
    signal: controller.signal,
    before: (work) => Promise.race([work, late]),
    clear: () => clearTimeout(timer),
  }
}
