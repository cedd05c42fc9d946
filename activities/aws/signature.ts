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

/**
 * Signs requests with Signature Version 4 for service `ses`, for one set of credentials and region.
 *
 * We sign ourselves because the signed moment must be ours: a call carries the time of its claim
 * and is never signed again, so that AWS itself refuses it five minutes later. The SDK signs with
 * the time of sending. Source: AWS General Reference, "Create a signed AWS API request".
 */
export function createSigner(credentials: Credentials, region: string) {
  let day = ''
  let key: Buffer = Buffer.alloc(0)

  return ({ method, host, path, body }: Unsigned, signedAt: Date): Record<string, string> => {
    const time = signedAt.toISOString().replace(/[-:]|\.\d{3}/g, '')
    const date = time.slice(0, 8)
    if (date !== day) {
      key = [date, region, 'ses', 'aws4_request'].reduce(
        (secret: Buffer, part) => hmac(secret, part),
        Buffer.from(`AWS4${credentials.secretAccessKey}`),
      )
      day = date
    }
    const hash = sha256(body)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      host,
      'x-amz-content-sha256': hash,
      'x-amz-date': time,
      ...(credentials.sessionToken ? { 'x-amz-security-token': credentials.sessionToken } : {}),
    }
    const names = Object.keys(headers).join(';')
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
    const request = `${method}\n${path}\n\n${lines.join('')}\n${names}\n${hash}`
    const scope = `${date}/${region}/ses/aws4_request`
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
