import type { ServerResponse } from 'node:http'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Deps } from '../deps.ts'
import { slowRead } from '../faults.ts'
import { requestId, sendJson } from '../http.ts'
import { readReputation } from '../mails.ts'
import { authenticate, authorize } from './authenticate.ts'
import { isRefusal, refusal } from './errors.ts'
import type { SignedRequest } from './signature.ts'

const TARGET = 'GraniteServiceVersion20100801.GetMetricData'

const Dimension = Type.Object({ Name: Type.String(), Value: Type.String() })
const MetricData = Compile(
  Type.Object({
    /** Seconds since 1970. */
    StartTime: Type.Number(),
    EndTime: Type.Number(),
    MetricDataQueries: Type.Array(
      Type.Object({
        Id: Type.String(),
        Label: Type.Optional(Type.String()),
        MetricStat: Type.Optional(
          Type.Object({
            Metric: Type.Object({
              Namespace: Type.Optional(Type.String()),
              MetricName: Type.Optional(Type.String()),
              Dimensions: Type.Optional(Type.Array(Dimension)),
            }),
            Period: Type.Integer(),
            Stat: Type.String(),
          }),
        ),
      }),
      { minItems: 1, maxItems: 500 },
    ),
  }),
)

/**
 * CloudWatch GetMetricData (AWS JSON 1.0): AWS/SES Reputation.BounceRate and
 * Reputation.ComplaintRate of the account, as set, or as counted by the sandbox. One data point, at
 * the end of the period.
 */
export async function handleCloudWatch(
  deps: Deps,
  signed: SignedRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const caller = authenticate(signed, 'monitoring', deps)
    if (signed.headers['x-amz-target'] !== TARGET) {
      throw refusal(400, 'UnknownOperationException', 'The sandbox knows GetMetricData only')
    }
    deps.calls.note(caller.account, 'cloudwatch:GetMetricData')
    if (await slowRead(deps.faults.of(caller.account))) {
      throw refusal(400, 'ThrottlingException', 'Rate exceeded')
    }
    authorize(deps, caller, 'cloudwatch:GetMetricData')
    const request: unknown = parse(signed.body)
    if (!MetricData.Check(request)) {
      throw refusal(400, 'InvalidParameterValueException', 'The request is malformed')
    }
    const { StartTime: from, EndTime: to, MetricDataQueries: queries } = request
    const { account, region } = caller
    const set = deps.accounts.get(account, region).reputation
    const reputation =
      set === null
        ? await readReputation(deps.sql, { account, region, from, to })
        : {
            'Reputation.BounceRate': set.bounceRate ?? undefined,
            'Reputation.ComplaintRate': set.complaintRate ?? undefined,
          }
    sendJson(
      response,
      200,
      {
        MetricDataResults: queries.map(({ Id, Label, MetricStat }) => {
          const { Namespace = '', MetricName = '', Dimensions = [] } = MetricStat?.Metric ?? {}
          const isKnown = Namespace === 'AWS/SES' && Dimensions.length === 0
          const value = isKnown
            ? new Map(Object.entries(reputation ?? {})).get(MetricName)
            : undefined
          return {
            Id,
            Label: Label ?? MetricName,
            StatusCode: 'Complete',
            Timestamps: value === undefined ? [] : [Math.floor(to)],
            Values: value === undefined ? [] : [value],
          }
        }),
        Messages: [],
      },
      { 'content-type': 'application/x-amz-json-1.0' },
    )
  } catch (error) {
    if (!isRefusal(error)) deps.log.error({ err: error }, 'the sandbox could not serve CloudWatch')
    const knownRefusal = isRefusal(error)
      ? error
      : refusal(500, 'InternalServiceFault', 'An internal error has occurred.')
    const code = knownRefusal.code
    sendJson(
      response,
      knownRefusal.status,
      { __type: code, message: knownRefusal.message },
      {
        'content-type': 'application/x-amz-json-1.0',
        'x-amzn-query-error': `${code};${knownRefusal.status < 500 ? 'Sender' : 'Receiver'}`,
        'x-amzn-requestid': requestId(),
      },
    )
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
