import { failureOf } from '../../client/failure.ts'
import { type Client, createClient } from '../../client/index.ts'
import { noteAnswer } from './request-limit.ts'

/** Says that a request is of this page: see `consoleRewriter` of the API. */
export const OWN_HEADER = { 'x-letterloom-console': '1' }

interface Refusal {
  status: number
  /** The stable word of an error, such as `organization_changed`. */
  reason: unknown
}

const listeners = new Set<(refusal: Refusal) => void>()

/** Calls `listener` whenever the API refuses something, whichever page or form asked. */
export const onRefusal = (listener: (refusal: Refusal) => void): void =>
  void listeners.add(listener)

const clients = new Map<string, Client>()

/** The API as the signed-in person, in one of their organizations. */
export function clientOf(organizationId: string): Client {
  const known = clients.get(organizationId)
  if (known) return known
  const client = createClient({
    baseUrl: `${location.origin}${addressOf(organizationId)}`,
    fetch: send,
  })
  clients.set(organizationId, client)
  return client
}

/** Where a file of the API is for this browser, to be downloaded by a link. */
export const fileAddress = (organizationId: string, path: string): string =>
  `${addressOf(organizationId)}${path}`

const addressOf = (organizationId: string): string => `/console/api/${organizationId}`

/** Uploads a file whole. Nothing is tried again: a second try would read the file twice. */
export async function sendFile(
  organizationId: string,
  path: string,
  file: Blob,
  type: string,
): Promise<unknown> {
  const address = fileAddress(organizationId, path)
  const headers = { 'content-type': type, 'idempotency-key': crypto.randomUUID() }
  const answer = await send(
    new Request(new URL(address, location.origin), { method: 'POST', headers, body: file }),
  )
  if (!answer.ok) throw await failureOf(answer)
  return answer.json()
}

/** Reads a file that a link cannot ask for, since its kind is chosen by a header. */
export async function readFile(
  organizationId: string,
  path: string,
  accept: string,
): Promise<Blob> {
  const address = new URL(fileAddress(organizationId, path), location.origin)
  const answer = await send(new Request(address, { headers: { accept } }))
  if (!answer.ok) throw await failureOf(answer)
  return answer.blob()
}

/** Puts a file into the person's downloads. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

async function send(request: Request): Promise<Response> {
  const headers = new Headers(request.headers)
  for (const [name, value] of Object.entries(OWN_HEADER)) headers.set(name, value)
  const answer = await fetch(new Request(request, { headers }))
  noteAnswer(answer)
  if (answer.status === 401 || answer.status === 409) void tellRefusal(answer.clone())
  return answer
}

async function tellRefusal(answer: Response): Promise<void> {
  const body: unknown = await answer.json().catch(() => undefined)
  const reason =
    typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined
  for (const listener of listeners) listener({ status: answer.status, reason })
}
