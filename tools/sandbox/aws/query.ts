import type { ServerResponse } from 'node:http'
import type { Deps } from '../deps.ts'
import { slowRead } from '../faults.ts'
import { requestId, sendText } from '../http.ts'
import { type Caller, authenticate, authorize } from './authenticate.ts'
import { isRefusal, queryCode, refusal } from './errors.ts'
import { IAM_ACTIONS } from './iam.ts'
import { readClaim, type SignedRequest } from './signature.ts'
import { STS_ACTIONS } from './sts.ts'

export type QueryAction = (
  deps: Deps,
  caller: Caller,
  parameters: URLSearchParams,
) => object | Promise<object>

const SERVICES: Record<string, { actions: Record<string, QueryAction>; namespace: string }> = {
  sts: { actions: STS_ACTIONS, namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' },
  iam: { actions: IAM_ACTIONS, namespace: 'https://iam.amazonaws.com/doc/2010-05-08/' },
}

/** STS and IAM in the query protocol: form fields in, XML out. */
export async function handleQuery(
  deps: Deps,
  signed: SignedRequest,
  response: ServerResponse,
): Promise<void> {
  let namespace = ''
  try {
    const name = readClaim(signed.headers).service
    const service = SERVICES[name] ?? SERVICES['sts']
    namespace = service?.namespace ?? ''
    const caller = authenticate(signed, service === SERVICES['iam'] ? 'iam' : 'sts', deps)
    const parameters = new URLSearchParams(signed.body.toString('utf8'))
    const action = parameters.get('Action') ?? ''
    const run = service?.actions[action]
    if (!run) throw refusal(400, 'InvalidAction', `Could not find operation ${action}`)
    deps.calls.note(caller.account, `${name}:${action}`)
    if (name === 'iam' && (await slowRead(deps.faults.of(caller.account)))) {
      throw refusal(400, 'Throttling', 'Rate exceeded')
    }
    if (action !== 'AssumeRole' && action !== 'GetCallerIdentity') {
      authorize(deps, caller, `${name}:${action}`)
    }
    const result = await run(deps, caller, parameters)
    sendXml(
      response,
      200,
      {
        [`${action}Response`]: {
          [`${action}Result`]: result,
          ResponseMetadata: { RequestId: requestId() },
        },
      },
      namespace,
    )
  } catch (error) {
    if (!isRefusal(error)) deps.log.error({ err: error }, 'the sandbox could not serve STS or IAM')
    const knownRefusal = isRefusal(error)
      ? error
      : refusal(500, 'InternalFailure', 'An internal error has occurred.')
    sendXml(
      response,
      knownRefusal.status,
      {
        ErrorResponse: {
          Error: {
            Type: knownRefusal.status < 500 ? 'Sender' : 'Receiver',
            Code: queryCode(knownRefusal.code),
            Message: knownRefusal.message,
          },
          RequestId: requestId(),
        },
      },
      namespace,
    )
  }
}

function sendXml(
  response: ServerResponse,
  status: number,
  document: object,
  namespace: string,
): void {
  const text = xml(document).replace(/^<(\w+)>/, `<$1 xmlns="${namespace}">`)
  sendText(response, { status, type: 'text/xml', text })
}

function xml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return escape(String(value))
  return Object.entries(value)
    .map(([name, inner]) => `<${name}>${xml(inner)}</${name}>`)
    .join('')
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
