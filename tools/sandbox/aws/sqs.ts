import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Deps } from '../deps.ts'
import { slowRead } from '../faults.ts'
import { sendJson } from '../http.ts'
import type { QueueKey } from '../queues.ts'
import { authenticate, authorize, type Caller } from './authenticate.ts'
import { denied, isRefusal, refusal } from './errors.ts'
import type { SignedRequest } from './signature.ts'

export const SQS_TARGET = 'AmazonSQS.'

/** Default visibility timeout. */
const HIDDEN_SECONDS = 30

const Requests = {
  ReceiveMessage: Compile(
    Type.Object({
      QueueUrl: Type.String(),
      MaxNumberOfMessages: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
      WaitTimeSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
      VisibilityTimeout: Type.Optional(Type.Integer({ minimum: 0, maximum: 43_200 })),
    }),
  ),
  DeleteMessage: Compile(Type.Object({ QueueUrl: Type.String(), ReceiptHandle: Type.String() })),
  DeleteMessageBatch: Compile(
    Type.Object({
      QueueUrl: Type.String(),
      Entries: Type.Array(
        Type.Object({
          Id: Type.String({ pattern: '^[\\w-]{1,80}$' }),
          ReceiptHandle: Type.String(),
        }),
        { minItems: 1, maxItems: 10 },
      ),
    }),
  ),
  GetQueueAttributes: Compile(
    Type.Object({
      QueueUrl: Type.String(),
      AttributeNames: Type.Optional(Type.Array(Type.String())),
    }),
  ),
}
type Action = keyof typeof Requests

interface QueueCall {
  deps: Deps
  caller: Caller
  response: ServerResponse
}

/** SQS (AWS JSON 1.0): receives, deletes and counts messages of an account's own queues. */
export async function handleSqs(
  deps: Deps,
  signed: SignedRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const caller = authenticate(signed, 'sqs', deps)
    const action = String(signed.headers['x-amz-target']).slice(SQS_TARGET.length)
    if (!isAction(action)) {
      throw refusal(400, 'UnknownOperationException', 'The sandbox does not know this action')
    }
    deps.calls.note(caller.account, `sqs:${action}`)
    if (await slowRead(deps.faults.of(caller.account))) {
      throw refusal(403, 'RequestThrottled', 'The request was denied due to request throttling.')
    }
    // There is no permission for batches.
    authorize(deps, caller, `sqs:${action.replace(/Batch$/, '')}`)
    const answer = await run(action, parse(signed.body), { deps, caller, response })
    sendJson(response, 200, answer, { 'content-type': 'application/x-amz-json-1.0' })
  } catch (error) {
    if (!isRefusal(error)) deps.log.error({ err: error }, 'the sandbox could not serve SQS')
    const { status, code, message } = isRefusal(error)
      ? error
      : refusal(500, 'InternalError', 'An internal error has occurred.')
    sendJson(
      response,
      status,
      { __type: `com.amazonaws.sqs#${code}`, message },
      {
        'content-type': 'application/x-amz-json-1.0',
        'x-amzn-query-error': `${QUERY_CODES[code] ?? code};${status < 500 ? 'Sender' : 'Receiver'}`,
      },
    )
  }
}

/** Codes of the older protocol. */
const QUERY_CODES: Record<string, string> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  AccessDeniedException: 'AccessDenied',
}

const isAction = (name: string): name is Action => Object.hasOwn(Requests, name)

async function run(action: Action, input: unknown, call: QueueCall): Promise<object> {
  const malformed = refusal(400, 'InvalidParameterValue', 'The request is malformed')
  switch (action) {
    case 'ReceiveMessage': {
      if (!Requests.ReceiveMessage.Check(input)) throw malformed
      const { MaxNumberOfMessages: most = 1, WaitTimeSeconds: waitSeconds = 0 } = input
      const { queue, redrive } = find(input.QueueUrl, call)
      const messages = await call.deps.queues.receive(queue, {
        most,
        waitSeconds,
        hiddenSeconds: input.VisibilityTimeout ?? HIDDEN_SECONDS,
        redrive,
        isWanted: () => !call.response.destroyed,
      })
      if (messages.length === 0) return {}
      return {
        Messages: messages.map(({ id, receipt, body }) => ({
          MessageId: id,
          ReceiptHandle: receipt,
          MD5OfBody: createHash('md5').update(body).digest('hex'),
          Body: body,
        })),
      }
    }
    case 'DeleteMessage': {
      if (!Requests.DeleteMessage.Check(input)) throw malformed
      const { queue } = find(input.QueueUrl, call)
      if (await call.deps.queues.delete(queue, input.ReceiptHandle)) return {}
      throw refusal(400, 'ReceiptHandleIsInvalid', 'The input receipt handle is invalid.')
    }
    case 'DeleteMessageBatch': {
      if (!Requests.DeleteMessageBatch.Check(input)) throw malformed
      const { queue } = find(input.QueueUrl, call)
      const answer: { Successful: object[]; Failed: object[] } = { Successful: [], Failed: [] }
      for (const { Id, ReceiptHandle } of input.Entries) {
        if (await call.deps.queues.delete(queue, ReceiptHandle)) answer.Successful.push({ Id })
        else answer.Failed.push({ Id, SenderFault: true, Code: 'ReceiptHandleIsInvalid' })
      }
      return answer
    }
    case 'GetQueueAttributes': {
      if (!Requests.GetQueueAttributes.Check(input)) throw malformed
      const { queue } = find(input.QueueUrl, call)
      const { visible, hidden } = await call.deps.queues.count(queue)
      const all: Record<string, string> = {
        QueueArn: `arn:aws:sqs:${queue.region}:${queue.account}:${queue.name}`,
        ApproximateNumberOfMessages: String(visible),
        ApproximateNumberOfMessagesNotVisible: String(hidden),
      }
      const wantedNames = input.AttributeNames ?? []
      const isWanted = ([name]: [string, string]) =>
        wantedNames.includes('All') || wantedNames.includes(name)
      return { Attributes: Object.fromEntries(Object.entries(all).filter(isWanted)) }
    }
  }
}

/** Finds the queue in the URL. Another account's queue is refused, as without a sharing policy. */
function find(queueUrl: string, { deps, caller }: QueueCall) {
  const { account, region } = caller
  const [, itsAccount, name = ''] = QUEUE_PATH.exec(queueUrl) ?? []
  if (itsAccount !== account) {
    throw denied('Access to the resource is denied.')
  }
  const settings = deps.accounts.get(account, region).queues.find((each) => each.name === name)
  if (!settings) throw refusal(400, 'QueueDoesNotExist', 'The specified queue does not exist.')
  const { deadLetterQueue, maxReceiveCount = 10 } = settings
  const queue: QueueKey = { account, region, name }
  const redrive =
    deadLetterQueue === undefined
      ? undefined
      : { name: deadLetterQueue, maxReceives: maxReceiveCount }
  return { queue, redrive }
}

const QUEUE_PATH = /^https:\/\/[^/]+\/(\d{12})\/([\w-]{1,80})$/

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
