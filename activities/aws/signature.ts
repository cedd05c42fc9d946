import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** Milliseconds by which AWS' clock was ahead of ours when the credentials were made. */
  clockAheadMs?: number
}

export interface Unsigned {
  method: 'POST'
  host: string
  path: string
  body: string | Uint8Array
}

export interface SignedService {
  /** Name of the service in signatures. */
  service: 'ses' | 'sms-voice'
  /** Headers of every request that say what it is. They are signed. */
  contentHeaders: Readonly<Record<string, string>>
}

export const SES: SignedService = {
  service: 'ses',
  contentHeaders: { 'content-type': 'application/json' },
}

/**
 * Signs requests with Signature Version 4, for one set of credentials, region and service.
 *
 * We sign ourselves because the signed moment must be ours: a call carries the time of its claim
 * and is never signed again, so that AWS itself refuses it five minutes later. The SDK signs with
 * the time of sending. Source: AWS General Reference, "Create a signed AWS API request".
 */
export function createSigner(
  credentials: Credentials,
  region: string,
  { service, contentHeaders }: SignedService = SES,
) {
  let day = ''
  let key: Buffer = Buffer.alloc(0)

  return ({ method, host, path, body }: Unsigned, signedAt: Date): Record<string, string> => {
    const time = signedAt.toISOString().replace(/[-:]|\.\d{3}/g, '')
    const date = time.slice(0, 8)
    if (date !== day) {
      key = [date, region, service, 'aws4_request'].reduce(
        (secret: Buffer, part) => hmac(secret, part),
        Buffer.from(`AWS4${credentials.secretAccessKey}`),
      )
      day = date
    }
    const hash = sha256(body)
    const headers: Record<string, string> = {
      ...contentHeaders,
      host,
      'x-amz-content-sha256': hash,
      'x-amz-date': time,
      ...(credentials.sessionToken ? { 'x-amz-security-token': credentials.sessionToken } : {}),
    }
    const sortedHeaders = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))
    const names = sortedHeaders.map(([name]) => name).join(';')
    const lines = sortedHeaders.map(([name, value]) => `${name}:${value}\n`)
    const request = `${method}\n${path}\n\n${lines.join('')}\n${names}\n${hash}`
    const scope = `${date}/${region}/${service}/aws4_request`
    const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(request)}`).toString(
      'hex',
    )
    return {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    }
  }
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex')
