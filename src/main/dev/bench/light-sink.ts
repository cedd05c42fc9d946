/**
 * A provider that does as little as possible: it accepts every SendEmail after a while, remembers
 * the recipients, and posts the delivery events. It reads no mail. All other calls go to the
 * sandbox. A process of its own, which the benchmark forks.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { envelopeOf } from '../../../../tools/sandbox/envelope.ts'
import { mailIds, messageId } from '../../../../tools/sandbox/message-id.ts'
import type { SinkAnswer, SinkCount, SinkQuestion, SinkSettings } from './sink-messages.ts'

const SEND_EMAIL = '/v2/email/outbound-emails'
/** Events that are on their way to us at once. */
const EVENT_CONNECTIONS = 64
const KINDS = ['Send', 'Delivery'] as const

interface Accepted {
  id: string
  at: string
  recipient: string
  tags: [string, string][]
}

let settings: SinkSettings = { latencyMs: 0, upstream: '', webhook: null }
let count = emptyCount()
let recipients = new Set<string>()
let sample = ''
const waiting: { mail: Accepted; kind: (typeof KINDS)[number] }[] = []
let posting = 0
let webhooks: Dispatcher | undefined

function emptyCount(): SinkCount {
  return { accepted: 0, twice: 0, firstAt: 0, lastAt: 0, events: 0, refusedEvents: 0, waiting: 0 }
}

const server = createServer((incoming, answer) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const body = Buffer.concat(chunks)
    if (incoming.url === SEND_EMAIL) accept(body.toString('latin1'), answer)
    else passOn(incoming, body, answer)
  })
})
// The worker closes its own idle sockets.
server.keepAliveTimeout = 60_000

function accept(body: string, answer: ServerResponse): void {
  const [id = ''] = mailIds(1)
  const send = (): void => {
    const recipient = between(body, '"ToAddresses":["', '"')
    const now = performance.now()
    count.firstAt ||= now
    count.lastAt = now
    count.accepted++
    if (recipients.has(recipient)) count.twice++
    recipients.add(recipient)
    sample ||= body
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ MessageId: messageId('eu-west-1', id) }))
    if (settings.webhook) queueEvents(id, recipient, body)
  }
  if (settings.latencyMs === 0) send()
  else setTimeout(send, settings.latencyMs)
}

const between = (text: string, before: string, after: string): string => {
  const from = text.indexOf(before) + before.length
  return text.slice(from, text.indexOf(after, from))
}

function queueEvents(id: string, recipient: string, body: string): void {
  const list = JSON.parse(`[${between(body, '"EmailTags":[', ']')}]`) as {
    Name: string
    Value: string
  }[]
  const tags = list.map(({ Name, Value }): [string, string] => [Name, Value])
  const mail = { id, at: new Date().toISOString(), recipient, tags }
  for (const kind of KINDS) waiting.push({ mail, kind })
  postMore()
}

function postMore(): void {
  while (posting < EVENT_CONNECTIONS && waiting.length > 0) {
    posting++
    void postNext().finally(() => {
      posting--
      postMore()
    })
  }
}

async function postNext(): Promise<void> {
  const next = waiting.shift()
  const { webhook } = settings
  if (!next || !webhook) return
  const { mail, kind } = next
  const [id = ''] = mailIds(1)
  const envelope = envelopeOf({
    id,
    kind,
    link: null,
    occursAt: new Date().toISOString(),
    mailId: mail.id,
    account: webhook.account,
    region: 'eu-west-1',
    acceptedAt: mail.at,
    sender: webhook.sender,
    recipient: mail.recipient,
    subject: 'News',
    outcome: 'delivered',
    detail: { tags: mail.tags },
  })
  const { origin, pathname } = new URL(webhook.url)
  webhooks ??= new Pool(origin, { connections: EVENT_CONNECTIONS })
  const isTaken = await webhooks
    .request({
      origin,
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-secret': webhook.secret },
      body: JSON.stringify(envelope),
    })
    .then(async ({ statusCode, body }) => {
      await body.dump()
      return statusCode < 300
    })
    .catch(() => false)
  count.events++
  if (isTaken) return
  // As EventBridge does: it comes again.
  count.refusedEvents++
  waiting.push(next)
}

/** The headers stay as they are, the host too: the sandbox checks what they sign. */
function passOn({ method, url, headers }: IncomingMessage, body: Buffer, answer: ServerResponse) {
  const upstream = request(new URL(url ?? '/', settings.upstream), { method, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers)
    found.pipe(answer)
  })
  upstream.on('error', () => answer.writeHead(502).end())
  upstream.end(body)
}

const tell = (message: SinkAnswer): void => void process.send?.(message)

process.on('message', (question: SinkQuestion) => {
  if (question.kind === 'set') settings = { ...settings, ...question.settings }
  if (question.kind === 'forget') {
    count = emptyCount()
    recipients = new Set()
    sample = ''
  }
  tell({ count: { ...count, waiting: waiting.length + posting }, sample })
})
process.once('disconnect', () => process.exit())

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) {
    tell({ port: address.port })
  }
})
