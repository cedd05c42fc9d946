import type { Renderer } from '../../../src/mail/renderer.ts'
import type { Outgoing } from '../../../src/net/fetch.ts'
import { flowHeadersPlace, flowSecretPlace, open } from '../../../src/keys/sealing.ts'
import type { Contact } from '../../../src/schemas/contacts/contact.ts'
import type { WebhookSecrets } from '../../../src/store/flows/secrets.ts'
import type { Keyring } from '../../../src/keys/tokens.ts'
import { signatureHeaders } from '../../../src/keys/webhook-signatures.ts'
import type { StepRun } from './step.ts'

/** The longest body, in characters. */
const LONGEST_BODY = 256 * 1_024

export class BodyTooLong extends Error {}
/** The sealing key is no longer in the keyring, or the rows were tampered with. */
export class SecretUnreadable extends Error {}

interface Unsealed {
  secrets: string[]
  headers: Record<string, string>
}

export function unseal(
  keyring: Keyring,
  { execution, step }: StepRun<'webhook'>,
  sealed: WebhookSecrets,
): Unsealed {
  const { organizationId, flowId, version } = execution
  const place = flowSecretPlace(organizationId, flowId)
  const former = sealed.previousSecret === null ? [] : [sealed.previousSecret]
  const secrets = [sealed.secret, ...former].map((each) =>
    known(open(keyring, 'flow-secret', place, each)),
  )
  if (sealed.headers === null) return { secrets, headers: {} }
  const headersPlace = flowHeadersPlace(organizationId, { flowId, version, stepId: step.id })
  const headers: unknown = JSON.parse(
    known(open(keyring, 'flow-headers', headersPlace, sealed.headers)),
  )
  if (!isTexts(headers)) throw new SecretUnreadable()
  return { secrets, headers }
}

function known(opened: string | undefined): string {
  if (opened === undefined) throw new SecretUnreadable()
  return opened
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((each) => typeof each === 'string')

export interface About {
  contact: Contact
  /** The last event of the execution. Only templated bodies need it. */
  event: { name: string; properties: Record<string, unknown> } | undefined
}

export function requestOf(
  run: StepRun<'webhook'>,
  body: string | undefined,
  { secrets, headers }: Unsealed,
  nowMs: number,
): Pick<Outgoing, 'url' | 'method' | 'headers' | 'body'> {
  const { url, method } = run.step.config
  const message = { id: idOf(run), timestamp: Math.floor(nowMs / 1_000), body: body ?? '' }
  const ours = {
    'user-agent': 'Letterloom',
    ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
  }
  const theirs = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  return {
    url,
    method,
    // The signature is always ours, whatever headers the step has.
    headers: { ...ours, ...Object.fromEntries(theirs), ...signatureHeaders(secrets, message) },
    body,
  }
}

/** `<execution>_<step>_<visit>`, in letters, digits, `-`, `_` and `~`. */
const idOf = ({ execution, step, visit }: StepRun<'webhook'>): string =>
  `${execution.id}_${step.id.replace(/[^A-Za-z0-9_-]/gu, hexOf)}_${visit}`

const hexOf = (character: string): string => `~${Buffer.from(character).toString('hex')}`

export async function bodyOf(
  run: StepRun<'webhook'>,
  about: About,
  renderer: Renderer,
): Promise<string | undefined> {
  const { method, body } = run.step.config
  if (method === 'GET' || (method === 'DELETE' && body === undefined)) return undefined
  const rendered =
    body === undefined
      ? JSON.stringify(defaultBody(run, about))
      : await renderBody(body, run, about, renderer)
  if (rendered.length > LONGEST_BODY) throw new BodyTooLong()
  return rendered
}

function defaultBody({ execution, step }: StepRun<'webhook'>, { contact }: About): object {
  const { id, externalId, email, firstName, lastName } = contact
  return {
    executionId: execution.id,
    workflowId: execution.flowId,
    workflowName: execution.flowName,
    stepId: step.id,
    contact: { id, externalId, email, firstName, lastName },
    trigger: { data: execution.data },
  }
}

function renderBody(
  source: string,
  { execution, step }: StepRun<'webhook'>,
  { contact, event }: About,
  renderer: Renderer,
): Promise<string> {
  const { id, organizationId, flowId, flowName, version, data } = execution
  const scope = {
    contact,
    trigger: { data },
    event,
    execution: { id },
    workflow: { id: flowId, name: flowName },
  }
  return renderer.text(source, scope, {
    organization: organizationId,
    content: `webhook ${flowId} ${version} ${step.id}`,
  })
}

function typeOf(body: string): string {
  try {
    JSON.parse(body)
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}
