import { Pool } from 'undici'
import { createSigner } from '../../../../activities/aws/signature.ts'

interface BareLoop {
  url: string
  /** Body of a mail: all say the same, each to a recipient of its own. */
  sample: string
  mails: number
  sockets: number
}

/**
 * What anybody would write to send many mails: a loop that makes a body, signs it and posts it, on
 * many sockets at once. It keeps no record, so that it is the least that sending costs.
 */
export async function runBareLoop({ url, sample, mails, sockets }: BareLoop): Promise<void> {
  const { host } = new URL(url)
  const path = '/v2/email/outbound-emails'
  const mail = JSON.parse(sample) as Record<string, unknown>
  const credentials = { accessKeyId: 'AKIABENCH', secretAccessKey: 'bench', sessionToken: 'bench' }
  const sign = createSigner(credentials, 'eu-west-1')
  const pool = new Pool(url, { connections: sockets, pipelining: 1 })
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < mails) {
      const to = `bare-${next++}@example.com`
      const body = JSON.stringify({ ...mail, Destination: { ToAddresses: [to] } })
      const headers = sign({ method: 'POST', host, path, body }, new Date())
      const response = await pool.request({ path, method: 'POST', headers, body })
      await response.body.text()
    }
  }
  await Promise.all(Array.from({ length: sockets }, lane))
  await pool.close()
}
