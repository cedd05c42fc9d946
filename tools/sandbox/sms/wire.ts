import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { smsRefusal, validation } from './errors.ts'

const Optional = Type.Optional
const Identifier = Type.String({ minLength: 1, maxLength: 256 })
const page = {
  NextToken: Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  MaxResults: Optional(Type.Integer({ minimum: 1, maximum: 100 })),
}

/** Lengths and patterns of the service's API model (2022-03-31). */
const SendTextMessage = Type.Object({
  DestinationPhoneNumber: Type.String({
    minLength: 1,
    maxLength: 20,
    pattern: '^\\+?[1-9][0-9]{1,18}$',
  }),
  OriginationIdentity: Optional(Identifier),
  MessageBody: Optional(Type.String({ minLength: 1, maxLength: 1600 })),
  MessageType: Optional(Type.Enum(['TRANSACTIONAL', 'PROMOTIONAL'])),
  ConfigurationSetName: Optional(Identifier),
  MaxPrice: Optional(Type.String({ pattern: '^[0-9]{0,2}\\.[0-9]{1,5}$' })),
  TimeToLive: Optional(Type.Integer({ minimum: 5, maximum: 259_200 })),
  Context: Optional(
    Type.Record(
      Type.String({ pattern: '^\\S{1,100}$' }),
      Type.String({ minLength: 1, maxLength: 800 }),
      { maxProperties: 5, additionalProperties: false },
    ),
  ),
  DryRun: Optional(Type.Boolean()),
})
export type SendTextMessage = Static<typeof SendTextMessage>

const DescribePhoneNumbers = Type.Object({
  PhoneNumberIds: Optional(Type.Array(Identifier, { maxItems: 100 })),
  ...page,
})
const DescribeSenderIds = Type.Object({ ...page })
const DescribePools = Type.Object({ PoolIds: Optional(Type.Array(Identifier)), ...page })
const ListPoolOriginationIdentities = Type.Object({ PoolId: Identifier, ...page })
const DescribeOptedOutNumbers = Type.Object({
  OptOutListName: Identifier,
  OptedOutNumbers: Optional(Type.Array(Type.String(), { maxItems: 5 })),
  ...page,
})
const NoInput = Type.Object({ ...page })

/** Turns a body into a request, or into the service's refusal of it. */
function reader<T extends TSchema>(schema: T) {
  const validator = Compile(schema)
  return (body: Buffer): Static<T> => {
    const value = parse(body)
    if (validator.Check(value)) return value
    const [problem] = validator.Errors(value)
    const field = (problem?.instancePath ?? '').split('/')[1] ?? 'request'
    throw validation('INVALID_PARAMETER', field === '' ? 'request' : field)
  }
}

export const readSendTextMessage = reader(SendTextMessage)
export const readDescribePhoneNumbers = reader(DescribePhoneNumbers)
export const readDescribeSenderIds = reader(DescribeSenderIds)
export const readDescribePools = reader(DescribePools)
export const readListPoolOriginationIdentities = reader(ListPoolOriginationIdentities)
export const readDescribeOptedOutNumbers = reader(DescribeOptedOutNumbers)
export const readNoInput = reader(NoInput)

function parse(body: Buffer): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw smsRefusal(400, 'SerializationException', 'The request body is not JSON')
  }
}
