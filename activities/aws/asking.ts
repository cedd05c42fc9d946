import { setTimeout as sleep } from 'node:timers/promises'
import type { Purpose } from '../../src/domain/accounts/aws-actions.ts'
import type { Refusal, ProviderAnswer } from '../provider.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { Roles } from './roles.ts'
import type { Credentials } from './signature.ts'

/**
 * SES v2 limits all calls except sending to one a second for an account and region (SES developer
 * guide, "Service quotas"). A throttled call waits this long before it is repeated.
 */
const PAUSE_MS = 1_100
const MOST_TRIES = 3

const THROTTLED = ['TooManyRequestsException', 'ThrottlingException', 'Throttling']
const DENIED = ['AccessDenied', 'AccessDeniedException']
const EXPIRED = [
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
]

interface Question<T> {
  roles: Roles
  iamRole: IamRole
  purpose: Purpose
  signal: AbortSignal
  call: (credentials: Credentials) => Promise<T>
  tries?: number
}

/**
 * Makes a call as the role and reduces a failure to one word: the provider's own text goes no
 * further. Throttled calls are repeated after a pause, refused credentials are replaced once,
 * anything else is tried once. Ends with `signal` at the latest.
 */
export async function ask<T>(question: Question<T>): Promise<ProviderAnswer<T>> {
  const { roles, iamRole, purpose, signal, call, tries = MOST_TRIES } = question
  let renewed = false
  for (let tried = 1; ; tried++) {
    try {
      const credentials = await before(signal, roles.credentials(iamRole, purpose))
      return { kind: 'told', value: await before(signal, call(credentials)) }
    } catch (error) {
      if (signal.aborted) return { kind: 'failed' }
      const name = error instanceof Error ? error.name : 'Error'
      if (EXPIRED.includes(name) && !renewed) {
        renewed = true
        roles.forget(iamRole, purpose)
        continue
      }
      const refusal = refusalOf(name)
      if (refusal !== 'throttled' || tried >= tries) return { kind: refusal }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return { kind: 'throttled' }
    }
  }
}

function refusalOf(name: string): Refusal {
  if (THROTTLED.includes(name)) return 'throttled'
  return DENIED.includes(name) ? 'denied' : 'failed'
}

async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted()
  let cancel = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    cancel = () => reject(new Error('aborted'))
    signal.addEventListener('abort', cancel, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
