import { createHmac, randomBytes } from 'node:crypto'

const SECRET_MARK = 'whsec_'
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32

/** `whsec_` and 32 random bytes in base64: what a receiver checks our webhooks with. */
export const newSigningSecret = (): string =>
  SECRET_MARK + randomBytes(SECRET_BYTES).toString('base64')

export interface SignedMessage {
  /** The same for each try, so that a receiver knows a message it has had. Without dots. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/**
 * The three headers of Standard Webhooks (standardwebhooks.com, "Symmetric"): HMAC-SHA-256 of id,
 * time and body under each secret, so that while one replaces another both kinds of receivers
 * accept it. Throws a RangeError when an id has a dot: it could be read as ending there.
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
