import type { IncomingMessage, ServerResponse } from 'node:http'
import { authenticate, authorize, type Caller } from '../aws/authenticate.ts'
import { isRefusal, refusal, tooMany } from '../aws/errors.ts'
import { checkAge, type SignedRequest } from '../aws/signature.ts'
import type { Deps } from '../deps.ts'
import { slowRead } from '../faults.ts'
import { requestId, sendJson } from '../http.ts'
import { sendWithFaults } from '../send-with-faults.ts'
import { getAccount } from './account.ts'
import type { SesCall } from './call.ts'
import { RATE_EXCEEDED } from './gate.ts'
import { getIdentity, listIdentities } from './identities.ts'
import { sendBulkEmail } from './send-bulk-email.ts'
import { sendEmail } from './send-email.ts'
import { deleteSuppressed, getSuppressed, listSuppressed, putSuppressed } from './suppression.ts'

interface Route {
  action: string
  isSend?: boolean
  /** `name` is the last part of the path. */
  run: (call: SesCall, name: string) => object | Promise<object>
}

/** SES v2 API reference: method and path. `*` stands for the resource's name. */
const ROUTES: Record<string, Route> = {
  'POST outbound-emails': { action: 'ses:SendEmail', isSend: true, run: sendEmail },
  'POST outbound-bulk-emails': { action: 'ses:SendBulkEmail', isSend: true, run: sendBulkEmail },
  'GET account': { action: 'ses:GetAccount', run: getAccount },
  'GET identities': { action: 'ses:ListEmailIdentities', run: listIdentities },
  'POST list-identities': { action: 'ses:ListEmailIdentities', run: listIdentities },
  'GET identities/*': { action: 'ses:GetEmailIdentity', run: getIdentity },
  'GET suppression/addresses': { action: 'ses:ListSuppressedDestinations', run: listSuppressed },
  'PUT suppression/addresses': { action: 'ses:PutSuppressedDestination', run: putSuppressed },
  'GET suppression/addresses/*': { action: 'ses:GetSuppressedDestination', run: getSuppressed },
  'DELETE suppression/addresses/*': {
    action: 'ses:DeleteSuppressedDestination',
    run: deleteSuppressed,
  },
}

export const SES_PREFIX = '/v2/email/'
const NAMED = /^(identities|suppression\/addresses)\/([^/]+)$/

/** SES v2 in the REST-JSON protocol. */
export async function handleSes(
  deps: Deps,
  signed: SignedRequest,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  try {
    const [route, name] = find(signed)
    const caller = authenticate(signed, 'ses', deps)
    if (!route) throw refusal(404, 'UnknownOperationException', 'The sandbox does not know this')
    const { account: accountNumber, region, credentials } = caller
    deps.calls.note(accountNumber, route.action)
    authorize(deps, caller, route.action)
    const call: SesCall = {
      deps,
      account: deps.accounts.get(accountNumber, region),
      faults: deps.faults.of(accountNumber),
      role: credentials.session?.role ?? 'letterloom',
      query: new URLSearchParams(signed.query),
      body: signed.body,
    }
    if (route.isSend) await send(call, { route, caller, request, response })
    else await read(call, { route, response }, name)
  } catch (error) {
    answerFailure(deps, response, error)
  }
}

function find({ method, path }: SignedRequest): [route: Route | undefined, name: string] {
  const rest = path.slice(SES_PREFIX.length)
  const [, collection, name] = NAMED.exec(rest) ?? []
  if (collection === undefined || name === undefined) return [ROUTES[`${method} ${rest}`], '']
  return [ROUTES[`${method} ${collection}/*`], decodeURIComponent(name)]
}

interface Sending {
  route: Route
  caller: Caller
  request: IncomingMessage
  response: ServerResponse
}

const send = (call: SesCall, { route, caller, request, response }: Sending): Promise<void> =>
  sendWithFaults({
    faults: call.faults,
    request,
    throttled: () => tooMany(RATE_EXCEEDED),
    internal,
    checkAge: () => checkAge(caller.claim, call.deps.settings),
    run: () => route.run(call, ''),
    answer: (value) => sendJson(response, 200, value),
  })

/** Runs a call that does not send. */
async function read(
  call: SesCall,
  { route, response }: Pick<Sending, 'route' | 'response'>,
  name: string,
): Promise<void> {
  if (await slowRead(call.faults)) throw tooMany('Rate exceeded')
  sendJson(response, 200, await route.run(call, name))
}

const internal = () => refusal(500, 'InternalServiceError', 'An internal service error occurred.')

function answerFailure({ log }: Deps, response: ServerResponse, error: unknown): void {
  const refusal = isRefusal(error) ? error : internal()
  if (!isRefusal(error)) log.error({ err: error }, 'the sandbox could not serve a call of SES')
  sendJson(
    response,
    refusal.status,
    { message: refusal.message },
    {
      'x-amzn-errortype': refusal.code,
      'x-amzn-requestid': requestId(),
    },
  )
}
