import type { SmsCall } from './call.ts'
import { notFound } from './errors.ts'
import type { SmsSender } from './settings.ts'
import {
  readDescribeOptedOutNumbers,
  readDescribePhoneNumbers,
  readDescribePools,
  readDescribeSenderIds,
  readListPoolOriginationIdentities,
  readNoInput,
} from './wire.ts'

const arnOf = ({ account }: SmsCall, kind: string, id: string): string =>
  `arn:aws:sms-voice:${account.region}:${account.accountNumber}:${kind}/${id}`

const isNumber = ({ type }: SmsSender): boolean => type !== 'SENDER_ID'

const limitsOf = ({ partsPerSecond }: SmsSender) => ({
  MessagingLimits: { RateLimits: { SMS: partsPerSecond } },
})

export function describePhoneNumbers(call: SmsCall): object {
  const { PhoneNumberIds: ids } = readDescribePhoneNumbers(call.body)
  const numbers = call.account.sms.senders.filter(
    (each) => isNumber(each) && (ids?.includes(each.id) ?? true),
  )
  if (ids !== undefined && numbers.length < ids.length) throw notFound('phone-number')
  return {
    PhoneNumbers: numbers.map((each) => ({
      PhoneNumberArn: arnOf(call, 'phone-number', each.id),
      PhoneNumberId: each.id,
      PhoneNumber: each.identity,
      Status: each.status,
      IsoCountryCode: each.country,
      MessageType: each.messageType,
      NumberCapabilities: ['SMS'],
      NumberType: each.type,
      MonthlyLeasingPrice: '1.00',
      TwoWayEnabled: each.twoWay ?? false,
      SelfManagedOptOutsEnabled: each.selfManagedOptOuts,
      OptOutListName: each.optOutList,
      DeletionProtectionEnabled: false,
      ...(each.pool === undefined ? {} : { PoolId: each.pool }),
      ...limitsOf(each),
    })),
  }
}

export function describeSenderIds(call: SmsCall): object {
  readDescribeSenderIds(call.body)
  return {
    SenderIds: call.account.sms.senders
      .filter((each) => !isNumber(each))
      .map((each) => ({
        SenderIdArn: arnOf(call, 'sender-id', `${each.identity}/${each.country}`),
        SenderId: each.identity,
        IsoCountryCode: each.country,
        MessageTypes: [each.messageType],
        MonthlyLeasingPrice: '0.00',
        DeletionProtectionEnabled: false,
        Registered: true,
        ...limitsOf(each),
      })),
  }
}

/** The senders of each pool. */
function poolsOf({ account }: SmsCall): Map<string, SmsSender[]> {
  const pools = new Map<string, SmsSender[]>()
  for (const sender of account.sms.senders) {
    const { pool } = sender
    if (pool !== undefined) pools.set(pool, [...(pools.get(pool) ?? []), sender])
  }
  return pools
}

export function describePools(call: SmsCall): object {
  const { PoolIds: ids } = readDescribePools(call.body)
  const pools = [...poolsOf(call)].filter(([pool]) => ids?.includes(pool) ?? true)
  if (ids !== undefined && pools.length < ids.length) throw notFound('pool')
  return {
    Pools: pools.map(([pool, [first]]) => ({
      PoolArn: arnOf(call, 'pool', pool),
      PoolId: pool,
      Status: 'ACTIVE',
      MessageType: first?.messageType,
      TwoWayEnabled: first?.twoWay ?? false,
      SelfManagedOptOutsEnabled: first?.selfManagedOptOuts,
      OptOutListName: first?.optOutList,
      SharedRoutesEnabled: false,
      DeletionProtectionEnabled: false,
    })),
  }
}

export function listPoolOriginationIdentities(call: SmsCall): object {
  const { PoolId: pool } = readListPoolOriginationIdentities(call.body)
  const senders = poolsOf(call).get(pool)
  if (senders === undefined) throw notFound('pool')
  return {
    PoolArn: arnOf(call, 'pool', pool),
    PoolId: pool,
    OriginationIdentities: senders.map((each) => ({
      OriginationIdentityArn: arnOf(call, 'phone-number', each.id),
      OriginationIdentity: each.identity,
      IsoCountryCode: each.country,
      NumberCapabilities: ['SMS'],
      PhoneNumber: each.identity,
    })),
  }
}

const MOST_NUMBERS = 100

/** A page of a list, or named numbers, of which each must be on it. */
export async function describeOptedOutNumbers(call: SmsCall): Promise<object> {
  const { account, deps } = call
  const request = readDescribeOptedOutNumbers(call.body)
  const { OptOutListName: list, MaxResults: limit = MOST_NUMBERS } = request
  if (!account.sms.senders.some(({ optOutList }) => optOutList === list)) {
    throw notFound('opt-out-list')
  }
  const { optedOut } = deps.sms.texts
  for (const phone of request.OptedOutNumbers ?? []) {
    if (!(await optedOut.has(account, list, phone))) throw notFound('opted-out-number')
  }
  const after = request.NextToken ?? ''
  const rows = await optedOut.page(account, { list, after, limit: limit + 1 })
  const shown = rows
    .slice(0, limit)
    .filter(({ phone }) => request.OptedOutNumbers?.includes(phone) ?? true)
  return {
    OptOutListArn: arnOf(call, 'opt-out-list', list),
    OptOutListName: list,
    OptedOutNumbers: shown.map(({ phone, optedOutAt }) => ({
      OptedOutNumber: phone,
      OptedOutTimestamp: Date.parse(optedOutAt) / 1_000,
      EndUserOptedOut: true,
    })),
    ...(rows.length > limit ? { NextToken: shown.at(-1)?.phone } : {}),
  }
}

export function describeAccountAttributes({ account, body }: SmsCall): object {
  readNoInput(body)
  return { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: account.sms.tier }] }
}

export function describeSpendLimits({ account, body }: SmsCall): object {
  readNoInput(body)
  const limit = account.sms.spendLimit
  return {
    SpendLimits: [
      {
        Name: 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT',
        EnforcedLimit: Math.floor(limit),
        MaxLimit: Math.floor(limit),
        Overridden: false,
      },
    ],
  }
}
