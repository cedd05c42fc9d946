import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SENDER } from '../../src/main/dev/system.ts'
import { until } from './engine.ts'

interface CallOptions {
  body?: unknown
  headers?: Record<string, string>
}

/** Plants words and makes calls whose refusals are recorded. */
export interface Teller {
  canary: (place: string) => string
  plant: (place: string, word: string) => void
  call: (
    method: string,
    path: string,
    asked?: CallOptions,
  ) => Promise<{ status: number; body: Record<string, unknown> }>
}

/** A webhook receiver that fails once and then answers with its own words. */
async function startReceiver(answers: { status: number; word: string }[]) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { status, word } = answers[Math.min(requests.length, answers.length - 1)]!
      requests.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`)
      response.writeHead(status, { 'content-type': 'application/json', 'x-said': word })
      response.end(JSON.stringify({ said: word }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${port}`, requests, stop }
}

const field = (name: string, value: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: name, operator: 'equals', value }] }],
})

/**
 * Runs a person through a flow with everything that names people: events, a mail, a wait, a webhook
 * that is called twice, a change of the contact. Then come failing runs and a retried one.
 */
export async function tellOfFlows({ canary, plant, call }: Teller, email: string): Promise<void> {
  const receiver = await startReceiver([
    { status: 503, word: canary('failing receiver') },
    { status: 200, word: canary('receiver') },
  ])
  const [started, awaited] = [canary('name of an event'), canary('name of an awaited event')]
  const wantedValue = canary('value of a condition')
  const config = {
    url: `${receiver.url}/${canary('path of a webhook')}?key=${canary('query of a webhook')}`,
    method: 'POST',
    headers: { authorization: `Bearer ${canary('header of a webhook')}` },
    body: `{"planted": "${canary('body of a webhook')}", "name": {{ contact.firstName | json }}}`,
  }
  const createdFlow = await call('POST', '/v1/workflows', {
    headers: { 'idempotency-key': 'makes a workflow' },
    body: {
      name: canary('name of a workflow'),
      slug: canary('slug of a workflow'),
      description: canary('description of a workflow'),
      enabled: true,
      triggerType: 'event',
      triggerConfig: { eventName: started, filter: field('event.properties.kind', wantedValue) },
      settings: { allowReentry: true },
      steps: [
        {
          id: 'mail',
          type: 'send_email',
          name: 'Mail',
          config: {
            from: SENDER,
            subject: `${canary('subject of a flow')} {{ trigger.data.kind }}`,
            html: `<p>${canary('html of a flow')} {{ contact.firstName }} {{ planted }}</p>`,
            variables: { planted: canary('variable of a flow') },
          },
        },
        {
          id: 'wait',
          type: 'wait_for_event',
          name: 'Wait',
          config: {
            eventName: awaited,
            filter: field('event.properties.kind', wantedValue),
            timeout: { amount: 1, unit: 'days' },
          },
        },
        { id: 'call', type: 'webhook', name: 'Call', config },
        {
          id: 'update',
          type: 'update_contact',
          name: 'Update',
          config: { set: { 'properties.noted': canary('value that a flow sets') } },
        },
      ],
      transitions: [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'wait' },
        { from: 'wait', to: 'call', branch: 'yes' },
        { from: 'call', to: 'update', branch: 'success' },
      ],
    },
  })
  plant('webhook secret of a workflow', String(createdFlow.body['webhookSecret']))
  const happened = (name: string) =>
    call('POST', '/v1/events', {
      headers: { 'idempotency-key': canary(`idempotency key of ${name}`) },
      body: {
        name,
        contactEmail: email,
        eventId: `${canary('event id')}-${email}`,
        properties: { kind: wantedValue, note: canary('property of an event') },
      },
    })
  await happened(started)
  const flowId = String(createdFlow.body['id'])
  await finished(call, flowId, 'waiting')
  await happened(awaited)
  await finished(call, flowId, 'completed')
  await receiver.stop()
  await failAndRetry({ canary, plant, call }, email)
  await refuseFlows({ canary, plant, call }, flowId)
}

/** The id of the flow's newest execution, once it has this status. */
export const finished = (call: Teller['call'], flowId: string, status: string) =>
  until(async () => {
    const { body } = await call('GET', `/v1/workflows/${flowId}/executions?limit=1`)
    const [newest] = body['data'] as { id: string; status: string }[]
    return newest?.status === status ? newest.id : undefined
  })

/** A mail that cannot be rendered, and a receiver that refuses. */
async function failAndRetry({ canary, call }: Teller, email: string): Promise<void> {
  const receiver = await startReceiver([{ status: 400, word: canary('refusing receiver') }])
  const steps = {
    mail: {
      type: 'send_email',
      config: {
        from: SENDER,
        subject: canary('subject of a mail that fails'),
        html: `<p>{{ trigger.data.${canary('undefined value')} }}</p>`,
      },
    },
    call: {
      type: 'webhook',
      config: { url: `${receiver.url}/${canary('path that refuses')}`, method: 'PUT' },
    },
  }
  for (const [id, step] of Object.entries(steps)) {
    const { body } = await call('POST', '/v1/workflows', {
      body: {
        name: `Fails at ${id}`,
        enabled: true,
        triggerType: 'api',
        steps: [{ id, name: id, ...step }],
      },
    })
    const flowId = String(body['id'])
    await call('POST', `/v1/workflows/${flowId}/trigger`, {
      body: { contactEmail: email, data: { note: canary(`data of a run that fails at ${id}`) } },
    })
    const executionId = await finished(call, flowId, 'failed')
    await call('POST', `/v1/workflows/executions/${executionId}/retry`)
    await finished(call, flowId, 'failed')
  }
  await receiver.stop()
}

/** Requests about events and flows that the API refuses. */
async function refuseFlows({ canary, call }: Teller, flowId: string): Promise<void> {
  const event = { name: 'refused' }
  const stranger = `${canary('address of nobody')}@example.com`
  await call('POST', '/v1/events', { body: { ...event, contactEmail: stranger } })
  await call('POST', '/v1/events', { body: { ...event, contactExternalId: canary('nobody') } })
  await call('POST', '/v1/events', { body: { ...event, contactEmail: canary('no address') } })
  await call('POST', '/v1/events', {
    body: { ...event, contactEmail: stranger, properties: { deep: deep(canary('deep value')) } },
  })
  await call('POST', '/v1/events', {
    body: { ...event, contactEmail: stranger, occurredAt: canary('time') },
  })
  await call('POST', '/v1/events/batch', { body: `{"events":["${canary('cut off event')}` })
  await call('POST', `/v1/workflows/${flowId}/trigger`, { body: { contactEmail: stranger } })
  await call('POST', `/v1/workflows/${canary('unknown slug')}/trigger`, {
    body: { contactEmail: stranger, data: { note: canary('data for nobody') } },
  })
  const refused = (changes: object) =>
    call('POST', '/v1/workflows', {
      body: {
        name: canary('name of a refused workflow'),
        triggerType: 'api',
        steps: [
          {
            id: 'call',
            type: 'webhook',
            name: 'Call',
            config: { url: 'https://example.com', method: 'POST', ...changes },
          },
        ],
      },
    })
  await refused({ url: `ftp://${canary('refused url')}` })
  await refused({ headers: { authorization: `${canary('refused header')}\r\nx-more: 1` } })
  await refused({ body: `{% if %}${canary('refused body')}` })
  await refused({ timeoutSeconds: canary('refused timeout') })
}

const deep = (value: unknown): unknown =>
  Array.from({ length: 10 }).reduce((inner) => ({ inner }), value)
