import {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
} from '@aws-sdk/client-pinpoint-sms-voice-v2'
import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'

/**
 * Returns the endpoint to which the SDK would send SendEmail or SendTextMessage in a region. The
 * SDK is asked, so that its endpoint settings (`AWS_ENDPOINT_URL_SESV2`, `AWS_ENDPOINT_URL`, the
 * shared configuration file, FIPS and dual-stack switches) apply to our own calls, too. Each region
 * is asked about once.
 */
export function createSendEndpoints(
  channel: 'email' | 'sms' = 'email',
): (region: string) => Promise<URL> {
  const ask = channel === 'email' ? askForMail : askForTexts
  const endpoints = new Map<string, Promise<URL>>()
  return (region) => {
    const endpoint = endpoints.get(region) ?? ask(region)
    endpoints.set(region, endpoint)
    // A failed look-up is asked again next time.
    endpoint.catch(() => endpoints.delete(region))
    return endpoint
  }
}

const settings = (region: string) => ({
  region,
  credentials: { accessKeyId: 'unused', secretAccessKey: 'unused' },
  // Captures the request that the SDK made, without sending it.
  requestHandler: {
    handle: (request: { protocol: string; hostname: string; port?: number; path: string }) => {
      const port = request.port === undefined ? '' : `:${request.port}`
      throw new Captured(new URL(`${request.protocol}//${request.hostname}${port}${request.path}`))
    },
  },
  maxAttempts: 1,
})

function askForMail(region: string): Promise<URL> {
  const client = new SESv2Client(settings(region))
  return captured(client.send(new SendEmailCommand({ Content: {} }))).finally(() =>
    client.destroy(),
  )
}

function askForTexts(region: string): Promise<URL> {
  const client = new PinpointSMSVoiceV2Client(settings(region))
  const text = new SendTextMessageCommand({ DestinationPhoneNumber: '+12065550100' })
  return captured(client.send(text)).finally(() => client.destroy())
}

async function captured(sending: Promise<unknown>): Promise<URL> {
  try {
    await sending
  } catch (error) {
    if (error instanceof Captured) return error.url
    throw error
  }
  throw new Error('the SDK made no request')
}

class Captured extends Error {
  readonly url: URL
  constructor(url: URL) {
    super('captured')
    this.url = url
  }
}
