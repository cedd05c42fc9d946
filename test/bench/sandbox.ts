import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { Pool } from 'undici'
import { createSigner } from '../../activities/aws/signature.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { uuidv7 } from '../../src/ids.ts'

/**
 * How much mail the provider sandbox takes, so that it is never what a measurement of the product
 * measures. Run by hand, with an empty database that this may fill:
 *
 *   npx tsx test/bench/sandbox.ts postgres://… [seconds] [bulk|single|events]
 */
const [databaseUrl = '', secondsText = '8'] = process.argv.slice(2)
const SECONDS = Number(secondsText)
const ACCOUNT = '000000000000'
const REGION = 'eu-west-1'
const WARM_SECONDS = 3
const CONNECTIONS = 64
const HTML_BYTES = 20_480
const EVENT_MAILS = 6_000
const ONLY = process.argv[4]

/**
 * Processor time of the sandbox so far, in microseconds: steadier than the clock on a busy machine.
 */
let cpu: () => Promise<number> = () => Promise.resolve(0)

async function serve(): Promise<void> {
  const log = pino({ level: 'warn' })
  const { url } = await startSandbox({ host: '127.0.0.1', port: 0, databaseUrl, log })
  process.send?.(url)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit())
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), [databaseUrl])
  const [url] = (await once(child, 'message')) as [string]
  cpu = async () => {
    child.send('cpu')
    const [used] = (await once(child, 'message')) as [NodeJS.CpuUsage]
    return used.user + used.system
  }
  const control = sandboxControl(url)
  await control.clear()
  await control.putAccount(ACCOUNT, {
    region: REGION,
    maxSendRate: 1e9,
    max24Hour: -1,
    productionAccess: true,
    identities: [{ identity: 'letterloom.example', verified: true }],
    webhooks: [],
  })
  try {
    if (!ONLY || ONLY === 'bulk')
      await run(url, { name: 'SendBulkEmail', path: 'outbound-bulk-emails', make: bulk, each: 50 })
    await control.clear()
    if (!ONLY || ONLY === 'single')
      await run(url, { name: 'SendEmail', path: 'outbound-emails', make: single, each: 1 })
    await control.clear()
    if (!ONLY || ONLY === 'events') await events(url)
    await control.clear()
  } finally {
    child.disconnect()
  }
}

interface Load {
  name: string
  path: string
  make: (n: number, batch: string) => object
  each: number
  calls?: number
}

async function run(url: string, { name, path, make, each, calls = Infinity }: Load) {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const sign = createSigner(
    { accessKeyId: 'LETTERLOOMSANDBOX', secretAccessKey: 'letterloom-sandbox-secret' },
    REGION,
  )
  const batch = uuidv7()
  const host = new URL(url).host
  let startedAt = performance.now()
  let n = 0
  let accepted = 0
  let seconds = WARM_SECONDS
  const work = async (): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1_000 && n < calls) {
      const body = JSON.stringify(make(n++, batch))
      const target = `/v2/email/${path}`
      const headers = sign({ method: 'POST', host, path: target, body }, new Date())
      const response = await pool.request({ method: 'POST', path: target, headers, body })
      const answer = await response.body.text()
      if (response.statusCode !== 200) throw new Error(answer)
      accepted += each
    }
  }
  const all = () => Promise.all(Array.from({ length: CONNECTIONS }, work))
  if (calls === Infinity) await all()
  const before = accepted
  const cpuBefore = await cpu()
  startedAt = performance.now()
  seconds = SECONDS
  await all()
  seconds = (performance.now() - startedAt) / 1_000
  accepted -= before
  const cpuUsed = (await cpu()) - cpuBefore
  await pool.close()
  const { duplicates, accepted: counted } = await sandboxControl(url).counts({ batch })
  console.log(
    `${name}: ${Math.round(accepted / seconds)} recipients/s (${accepted} in ${seconds.toFixed(1)} s; counted ${counted}, duplicates ${duplicates}; ${(cpuUsed / accepted).toFixed(1)} µs of the sandbox's CPU each)`,
  )
}

/** Events: mail first with posting stopped, then how fast it is all posted. */
async function events(url: string): Promise<void> {
  const control = sandboxControl(url)
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('{}'))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : 0
  await control.putAccount(ACCOUNT, {
    webhooks: [{ url: `http://127.0.0.1:${port}/`, secret: 'x' }],
    engagement: { openPercent: 40, clickPercent: 10, deliveryDelayMs: 0 },
  })
  await control.setSettings({ eventRatePerSecond: 0 })
  await control.setFaults({ eventsStopped: true })
  const load = { name: 'SendBulkEmail with events', path: 'outbound-bulk-emails', make: bulk }
  await run(url, { ...load, each: 50, calls: EVENT_MAILS / 50 })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const { pending } = await control.eventStats()
  const startedAt = performance.now()
  await control.setFaults({ eventsStopped: false })
  while ((await control.eventStats()).pending > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(
    `events: ${Math.round(pending / seconds)}/s (${pending} in ${seconds.toFixed(1)} s) ${JSON.stringify(await control.eventStats())}`,
  )
  receiver.close()
  receiver.closeAllConnections()
}

const paragraph = (n: number): string =>
  `<p style="margin:0 0 16px">Paragraph ${n} of a letter that goes to everybody.</p>\n`
const FILL = Array.from({ length: HTML_BYTES / paragraph(10).length }, (_, n) => paragraph(n)).join(
  '',
)

function bulk(call: number, batch: string): object {
  return {
    FromEmailAddress: 'News <news@letterloom.example>',
    DefaultEmailTags: [
      { Name: 'letterloom-batch', Value: batch },
      { Name: 'letterloom-organization', Value: batch },
    ],
    DefaultContent: {
      Template: {
        TemplateContent: {
          Subject: 'News for {{name}}',
          Html: `<h1>Hello {{name}}</h1><a href="https://letterloom.example/a">Read</a>${FILL.slice(0, 4_000)}`,
          Text: 'Hello {{name}}',
        },
        TemplateData: '{}',
      },
    },
    BulkEmailEntries: Array.from({ length: 50 }, (_, n) => ({
      Destination: { ToAddresses: [`reader-${call * 50 + n}@example.com`] },
      ReplacementEmailContent: {
        ReplacementTemplate: { ReplacementTemplateData: `{"name":"Reader ${n}"}` },
      },
      ReplacementTags: [{ Name: 'letterloom-message', Value: `${batch}_${call}-${n}` }],
    })),
  }
}

function single(n: number, batch: string): object {
  return {
    FromEmailAddress: 'News <news@letterloom.example>',
    Destination: { ToAddresses: [`reader-${n}@example.com`] },
    Content: {
      Simple: {
        Subject: { Data: `News for Reader ${n}`, Charset: 'UTF-8' },
        Body: {
          Html: {
            Data: `<h1>Hello Reader ${n}</h1>${FILL}<a href="https://letterloom.example/u/${n}">Leave</a>`,
          },
          Text: {
            Data: `Hello Reader ${n}\nThis is the letter.\nhttps://letterloom.example/u/${n}`,
          },
        },
        Headers: [
          { Name: 'List-Unsubscribe', Value: `<https://letterloom.example/u/${n}>` },
          { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
        ],
      },
    },
    EmailTags: [
      { Name: 'letterloom-message', Value: `${batch}_${n}` },
      { Name: 'letterloom-batch', Value: batch },
      { Name: 'letterloom-organization', Value: batch },
    ],
  }
}

if (process.send) await serve()
else await measure()
