import { createHmac, randomBytes } from 'node:crypto'

const SECRET_MARK = 'whsec_'
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32

/** `whsec_` and 32 random bytes in base64. Receivers verify our webhooks with it. */
export const newSigningSecret = (): string =>
  SECRET_MARK + randomBytes(SECRET_BYTES).toString('base64')

export interface SignedMessage {
  /**
   * Stays the same for each try, so that a receiver recognizes repeated messages. Contains no dots.
   */
  id: string
  timestamp: number
  body: string
}

/**
 * Returns the three headers of Standard Webhooks (standardwebhooks.com, "Symmetric"): HMAC-SHA-256
 * of id, time and body under each secret, so that receivers of either secret accept it during a
 * rotation. Throws a RangeError for an id with a dot, which would be ambiguous.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  if (id.includes('.')) throw new RangeError('The id of a webhook has no dots')
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
