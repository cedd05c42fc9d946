import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { badRequest, refusal } from '../aws/errors.ts'

const { Optional, String: Text, Array: List } = Type

const Tags = List(Type.Object({ Name: Text(), Value: Text() }))
const Headers = List(Type.Object({ Name: Text(), Value: Text() }))
const Content = Type.Object({ Data: Text(), Charset: Optional(Text()) })

const Destination = Type.Object({
  ToAddresses: Optional(List(Text())),
  CcAddresses: Optional(List(Text())),
  BccAddresses: Optional(List(Text())),
})
export type Destination = Static<typeof Destination>

const Template = Type.Object({
  TemplateName: Optional(Text()),
  TemplateArn: Optional(Text()),
  TemplateContent: Optional(
    Type.Object({ Subject: Optional(Text()), Html: Optional(Text()), Text: Optional(Text()) }),
  ),
  TemplateData: Optional(Text()),
  Headers: Optional(Headers),
})
export type Template = Static<typeof Template>

const Simple = Type.Object({
  Subject: Content,
  Body: Type.Object({ Html: Optional(Content), Text: Optional(Content) }),
  Headers: Optional(Headers),
  Attachments: Optional(List(Type.Unknown())),
})

/** The used parts of SendEmail (SES v2 API reference). */
const SendEmail = Type.Object({
  FromEmailAddress: Optional(Text()),
  Destination: Optional(Destination),
  ReplyToAddresses: Optional(List(Text())),
  Content: Type.Object({
    Simple: Optional(Simple),
    Raw: Optional(Type.Object({ Data: Text() })),
    Template: Optional(Template),
  }),
  EmailTags: Optional(Tags),
  ConfigurationSetName: Optional(Text()),
})
export type SendEmail = Static<typeof SendEmail>

const BulkEntry = Type.Object({
  Destination,
  ReplacementTags: Optional(Tags),
  ReplacementEmailContent: Optional(
    Type.Object({
      ReplacementTemplate: Optional(Type.Object({ ReplacementTemplateData: Optional(Text()) })),
    }),
  ),
  ReplacementHeaders: Optional(Headers),
})
export type BulkEntry = Static<typeof BulkEntry>

const SendBulkEmail = Type.Object({
  FromEmailAddress: Optional(Text()),
  ReplyToAddresses: Optional(List(Text())),
  DefaultEmailTags: Optional(Tags),
  DefaultContent: Type.Object({ Template: Optional(Template) }),
  BulkEmailEntries: List(BulkEntry),
  ConfigurationSetName: Optional(Text()),
})
export type SendBulkEmail = Static<typeof SendBulkEmail>

const ListIdentities = Type.Object({
  Filter: Optional(Type.Record(Text(), Text())),
  NextToken: Optional(Text()),
  PageSize: Optional(Type.Integer()),
})

const PutSuppressed = Type.Object({
  EmailAddress: Text({ minLength: 1 }),
  Reason: Type.Enum(['BOUNCE', 'COMPLAINT']),
})

/** Turns a body into a request, or into SES' refusal of a malformed body. */
function reader<T extends TSchema>(schema: T) {
  const validator = Compile(schema)
  return (body: Buffer): Static<T> => {
    const value = parse(body)
    if (validator.Check(value)) return value
    const [problem] = validator.Errors(value)
    const member = (problem?.instancePath ?? '').slice(1).replaceAll('/', '.') || 'request'
    throw badRequest(`1 validation error detected: Value at '${member}' ${problem?.message ?? ''}`)
  }
}

export const readSendEmail = reader(SendEmail)
export const readSendBulkEmail = reader(SendBulkEmail)
export const readListIdentities = reader(ListIdentities)
export const readPutSuppressed = reader(PutSuppressed)

function parse(body: Buffer): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw refusal(400, 'SerializationException', 'The request body is not JSON')
  }
}
