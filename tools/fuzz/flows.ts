import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 200
const PATIENCE_MS = 60_000
/** One event starts a flow, the other ends or resumes one that waits. */
const EVENTS = ['signed_up', 'order_placed']
const LONG = { amount: 300, unit: 'days' }

const end = (outcome: string) => ({ id: 'end', type: 'exit', name: 'End', config: { outcome } })
const wait = {
  id: 'wait',
  type: 'wait_for_event',
  name: 'An order?',
  config: { eventName: 'order_placed', timeout: LONG },
}
const again = { settings: { allowReentry: true } }
const FLOWS = {
  completed: { triggerType: 'api', steps: [end('completed')], ...again },
  failed: { triggerType: 'api', steps: [end('failed')], ...again },
  waiting: { triggerType: 'api', steps: [wait], ...again },
  event: {
    triggerType: 'event',
    triggerConfig: { eventName: 'signed_up' },
    steps: [end('completed')],
    ...again,
  },
}

/** Number of flows of each kind. Retries and cancellations reduce some, but never to none. */
const OF_EACH = 5

export type Call = <T>(method: string, path: string, body?: object) => Promise<T>

interface NamedFlow {
  id: string
  slug: string
}
interface Person {
  id: string
  email: string
}
type KnownValues = Record<string, Record<string, string[]>>

/**
 * Creates flows of every kind, enabled and disabled, and finished, failed and waiting executions.
 * It needs a worker. What the attack starts later is only written, never run.
 *
 * Returns parameter values that find them. Those that the attack may change and delete differ from
 * those that it starts.
 */
export async function makeFlows(call: Call, people: readonly Person[]): Promise<KnownValues> {
  const create = (name: string, { enabled, ...flow }: { enabled: boolean }): Promise<NamedFlow> =>
    call<NamedFlow>('POST', '/v1/workflows', { name, enabled, ...flow })
  const completed = await create('Completes', { enabled: true, ...FLOWS.completed })
  const failed = await create('Fails', { enabled: true, ...FLOWS.failed })
  const waiting = await create('Waits', { enabled: true, ...FLOWS.waiting })
  const event = await create('Starts by an event', { enabled: true, ...FLOWS.event })
  const changed = await create('Changes', { enabled: false, ...FLOWS.event })
  const disabled = await create('Is disabled', { enabled: false, ...FLOWS.completed })
  const spare = await create('Is deleted', { enabled: false, ...FLOWS.completed })

  const contacts = people.slice(0, OF_EACH)
  const start = async ({ id }: NamedFlow): Promise<string[]> => {
    const started = contacts.map((contact) =>
      call<{ executionId: string }>('POST', `/v1/workflows/${id}/trigger`, {
        contactId: contact.id,
      }),
    )
    return (await Promise.all(started)).map(({ executionId }) => executionId)
  }
  const runs = {
    completed: await start(completed),
    failed: await start(failed),
    waiting: await start(waiting),
  }
  for (const { email } of contacts) {
    await call('POST', '/v1/events', { name: 'signed_up', contactEmail: email })
  }
  for (const [status, ids] of Object.entries(runs)) {
    for (const id of ids) await reaches(call, id, status)
  }
  const executions = Object.values(runs).flat()

  const namesOf = (...flows: NamedFlow[]): string[] => flows.flatMap(({ id, slug }) => [id, slug])
  const all = namesOf(completed, failed, waiting, event, changed, disabled)
  const changeable = { 'path.id': namesOf(changed, disabled) }
  const startable = namesOf(completed, waiting, failed)
  const contactIds = people.map(({ id }) => id)
  const emails = people.map(({ email }) => email)
  return {
    getWorkflow: { 'path.id': all },
    listWorkflowVersions: { 'path.id': all },
    getWorkflowDiagram: { 'path.id': all },
    rotateWorkflowSecret: { 'path.id': all },
    pullWorkflows: { 'query.slug': [completed, failed, waiting, event].map(({ slug }) => slug) },
    updateWorkflow: changeable,
    enableWorkflow: changeable,
    disableWorkflow: changeable,
    cancelWorkflowExecutions: changeable,
    retryWorkflowFailed: changeable,
    listWorkflowOperations: { 'path.id': all },
    deleteWorkflow: { 'path.id': namesOf(spare) },
    triggerWorkflow: {
      'path.id': [...startable, ...namesOf(disabled)],
      'body.contactId': contactIds,
      'body.contactEmail': emails,
    },
    triggerWorkflowBatch: {
      'path.id': startable,
      'body.contacts[*].contactId': contactIds,
      'body.contacts[*].contactEmail': emails,
    },
    listWorkflowExecutions: { 'path.id': all, 'query.contactId': contactIds },
    listContactExecutions: { 'path.id': [...contactIds, ...emails] },
    getExecution: { 'path.id': executions },
    retryExecution: { 'path.id': runs.failed },
    cancelExecution: { 'path.id': [...runs.waiting, ...runs.completed] },
    ingestEvent: { 'body.name': EVENTS, 'body.contactId': contactIds, 'body.contactEmail': emails },
    ingestEvents: {
      'body.events[*].name': EVENTS,
      'body.events[*].contactId': contactIds,
      'body.events[*].contactEmail': emails,
    },
  }
}

async function reaches(call: Call, id: string, wantedStatus: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const path = `/v1/workflows/executions/${id}`
    const { status } = await call<{ status: string }>('GET', path)
    if (status === wantedStatus) return
    if (performance.now() > deadline) throw new Error(`${path}: ${status}, not ${wantedStatus}`)
    await sleep(POLL_MS)
  }
}
