import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type SendEmailCommandInput,
  SendEmailCommand,
  SESv2Client,
  type SESv2ClientConfig,
} from '@aws-sdk/client-sesv2'
import { AssumeRoleCommand, type AssumeRoleCommandInput, STSClient } from '@aws-sdk/client-sts'
import { pino } from 'pino'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { type SandboxOptions, startSandbox } from '../../tools/sandbox/index.ts'
import { createDatabase } from '../support/database.ts'

export const ACCOUNT = '444455556666'
export const REGION = 'eu-west-1'
export const SENDER = 'Letterloom News <news@letterloom.example>'
export const OPERATOR = {
  accessKeyId: 'LETTERLOOMSANDBOX',
  secretAccessKey: 'letterloom-sandbox-secret',
}
export const ROLE = {
  RoleArn: `arn:aws:iam::${ACCOUNT}:role/letterloom-1a2b3c4d`,
  RoleSessionName: 'letterloom-test',
  ExternalId: '1a2b3c4d-external',
}

/** A sandbox on a database of its own with one account in production, and the real clients. */
export async function startFixture(settings: SandboxOptions['settings'] = {}) {
  const database = await createDatabase()
  const log = pino({ level: 'fatal' })
  const options = { host: '127.0.0.1', port: 0, databaseUrl: database.url, log, settings }
  let sandbox = await startSandbox(options)
  const control = sandboxControl(sandbox.url)
  await control.putAccount(ACCOUNT, {
    region: REGION,
    maxSendRate: 10_000,
    max24Hour: 1_000_000,
    productionAccess: true,
    identities: [
      { identity: 'letterloom.example', verified: true },
      { identity: 'pending.example', verified: false },
    ],
    roles: [
      { name: 'letterloom-1a2b3c4d', externalId: ROLE.ExternalId, policyVersion: 7 },
      { name: 'open', externalId: null, policyVersion: 1 },
    ],
    webhooks: [],
    configurationSets: null,
  })
  const { url } = sandbox
  const assume = async (input: Partial<AssumeRoleCommandInput> = {}) => {
    const client = new STSClient({ region: REGION, endpoint: url, credentials: OPERATOR })
    const { Credentials: made } = await client.send(new AssumeRoleCommand({ ...ROLE, ...input }))
    return {
      accessKeyId: made?.AccessKeyId ?? '',
      secretAccessKey: made?.SecretAccessKey ?? '',
      sessionToken: made?.SessionToken ?? '',
      expiration: made?.Expiration ?? new Date(0),
    }
  }
  const credentials = await assume()
  const client = (config: SESv2ClientConfig = {}): SESv2Client =>
    new SESv2Client({ region: REGION, endpoint: url, credentials, maxAttempts: 1, ...config })
  const ses = client()
  return {
    url,
    port: sandbox.port,
    control,
    assume,
    credentials,
    client,
    ses,
    send: (input: Partial<SendEmailCommandInput> = {}) =>
      ses.send(new SendEmailCommand(mail(input))),
    /** Ends it and starts it again at the same address. */
    restart: async (): Promise<void> => {
      await sandbox.stop()
      sandbox = await startSandbox({ ...options, port: sandbox.port })
    },
    stop: async (): Promise<void> => {
      await sandbox.stop()
      await database.drop()
    },
  }
}
export type Fixture = Awaited<ReturnType<typeof startFixture>>

export const mail = (input: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput => ({
  FromEmailAddress: SENDER,
  Destination: { ToAddresses: ['ada@example.com'] },
  Content: {
    Simple: {
      Subject: { Data: 'Hello', Charset: 'UTF-8' },
      Body: { Html: { Data: '<p>Hello</p>' }, Text: { Data: 'Hello' } },
    },
  },
  ...input,
})

/** The name of the error that `work` ends with. */
export async function failure(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it did not fail')
}

export interface Envelope {
  id: string
  version: string
  'detail-type': string
  source: string
  account: string
  region: string
  time: string
  detail: {
    eventType: string
    mail: {
      messageId: string
      timestamp: string
      destination: string[]
      tags: Record<string, string[]>
      commonHeaders: { subject: string }
      [more: string]: unknown
    }
    [part: string]: unknown
  }
}

/** A webhook that keeps what it is sent and answers what it is told. */
export async function startReceiver() {
  const received: Envelope[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const state = {
    status: 200,
    paths: [] as string[],
    /** Goes with every answer; each is given so much later. */
    answerHeaders: {} as Record<string, string>,
    delayMs: 0,
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      state.paths.push(request.url ?? '')
      headers.push(request.headers)
      if (state.status < 300) received.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(state.status, state.answerHeaders)
      setTimeout(() => response.end('{}'), state.delayMs)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/webhooks/ses/1`,
    received,
    headers,
    state,
    kinds: () => received.map(({ detail }) => detail.eventType),
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const PATIENCE_MS = 120_000

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never came: ${what}`)
    await sleep(20)
  }
}
