import type { IncomingMessage, ServerResponse } from 'node:http'
import { authenticate, authorize } from '../aws/authenticate.ts'
import { isRefusal } from '../aws/errors.ts'
import { checkAge, type SignedRequest } from '../aws/signature.ts'
import type { Deps } from '../deps.ts'
import { slowRead } from '../faults.ts'
import { sendJson } from '../http.ts'
import { sendWithFaults } from '../send-with-faults.ts'
import type { SmsCall } from './call.ts'
import { membersOf, smsRefusal } from './errors.ts'
import {
  describeAccountAttributes,
  describeOptedOutNumbers,
  describePhoneNumbers,
  describePools,
  describeSenderIds,
  describeSpendLimits,
  listPoolOriginationIdentities,
} from './reads.ts'
import { sendTextMessage } from './send-text-message.ts'

export const SMS_TARGET = 'PinpointSMSVoiceV2.'

const READS: Record<string, (call: SmsCall) => object | Promise<object>> = {
  DescribePhoneNumbers: describePhoneNumbers,
  DescribeSenderIds: describeSenderIds,
  DescribePools: describePools,
  ListPoolOriginationIdentities: listPoolOriginationIdentities,
  DescribeOptedOutNumbers: describeOptedOutNumbers,
  DescribeAccountAttributes: describeAccountAttributes,
  DescribeSpendLimits: describeSpendLimits,
}

const CONTENT_TYPE = { 'content-type': 'application/x-amz-json-1.0' }
const rateExceeded = () => smsRefusal(400, 'ThrottlingException', 'Rate exceeded')
const internal = () => smsRefusal(500, 'InternalServerException', 'An internal error has occurred.')

/** End User Messaging SMS, `pinpoint-sms-voice-v2`, in AWS JSON 1.0. */
export async function handleSms(
  deps: Deps,
  signed: SignedRequest,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const answer = (value: object) => sendJson(response, 200, value, CONTENT_TYPE)
  try {
    const caller = authenticate(signed, 'sms-voice', deps)
    const action = String(signed.headers['x-amz-target']).slice(SMS_TARGET.length)
    deps.calls.note(caller.account, `sms-voice:${action}`)
    authorize(deps, caller, `sms-voice:${action}`)
    const account = deps.accounts.get(caller.account, caller.region)
    const call: SmsCall = { deps, account, body: signed.body }
    const faults = deps.faults.of(caller.account)
    if (action === 'SendTextMessage') {
      await sendWithFaults({
        faults,
        request,
        throttled: rateExceeded,
        internal,
        checkAge: () => checkAge(caller.claim, deps.settings),
        run: () => sendTextMessage(call),
        answer,
      })
      return
    }
    const read = READS[action]
    if (read === undefined) {
      throw smsRefusal(400, 'UnknownOperationException', 'The sandbox does not know this')
    }
    if (await slowRead(faults)) throw rateExceeded()
    answer(await read(call))
  } catch (error) {
    if (!isRefusal(error)) deps.log.error({ err: error }, 'the sandbox could not serve a text')
    const refused = isRefusal(error) ? error : internal()
    const { status, code, message } = refused
    sendJson(
      response,
      status,
      { __type: code, Message: message, ...membersOf(refused) },
      CONTENT_TYPE,
    )
  }
}
