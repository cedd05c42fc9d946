import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Check, Field, Select, TextArea, type Values } from '../ui/form.tsx'

type TopicInput = Schemas['TopicInput']

const textOrNull = (text = ''): string | null => (text.trim() === '' ? null : text.trim())

/** The call that the fields of a topic stand for. */
export function topicOf(values: Values): TopicInput {
  const { name = '', description, from, fromName, templateId, cloudAccountId } = values
  return {
    name: name.trim(),
    description: textOrNull(description),
    public: values['public'] !== undefined,
    doubleOptIn: values['doubleOptIn'] !== undefined,
    from: textOrNull(from),
    fromName: textOrNull(fromName),
    templateId: textOrNull(templateId),
    ...(cloudAccountId === undefined ? {} : { cloudAccountId: textOrNull(cloudAccountId) }),
  }
}

/** What a topic says and how people join it. */
export function TopicFields({ topic }: { topic?: Schemas['Topic'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const templates = useQuery({
    queryKey: [org, 'templates', 'published'],
    queryFn: () =>
      client.get('/v1/templates', { params: { query: { status: 'PUBLISHED', limit: 100 } } }),
  })
  const connected = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
  })
  const accounts = (connected.data?.connections ?? []).filter(
    ({ disconnectedAt }) => disconnectedAt === null,
  )
  return (
    <>
      <Field label="Name" name="name" defaultValue={topic?.name} maxLength={100} required />
      <TextArea
        label="What it is about"
        name="description"
        defaultValue={topic?.description ?? ''}
        maxLength={1_000}
        rows={2}
        isOptional
      />
      <Check
        label="Show it on the page where people choose what they get"
        name="public"
        value="yes"
        defaultChecked={topic?.public ?? true}
      />
      <Check
        label="Whoever joins confirms by mail first (double opt-in)"
        name="doubleOptIn"
        value="yes"
        defaultChecked={topic?.doubleOptIn ?? false}
      />
      <Field
        label="Address of the confirmation mail"
        name="from"
        type="email"
        hint="Of a verified sender. Needed when people confirm by mail."
        defaultValue={topic?.from ?? ''}
        isOptional
      />
      <Field
        label="Name of the sender"
        name="fromName"
        defaultValue={topic?.fromName ?? ''}
        isOptional
      />
      {/* Choices that are still on their way would be chosen as nothing. */}
      {templates.data === undefined ? null : (
        <Select
          label="Confirmation mail"
          name="templateId"
          hint="A published template with the variable confirmUrl."
          defaultValue={topic?.templateId ?? ''}
          isOptional
        >
          <option value="">The usual one</option>
          {templates.data.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {accounts.length > 1 ? (
        <Select
          label="Account"
          name="cloudAccountId"
          hint="The AWS account that the confirmation mail leaves through."
          defaultValue={topic?.cloudAccountId ?? ''}
          isOptional
        >
          <option value="">Choose …</option>
          {accounts.map(({ id, name, accountId, region }) => (
            <option key={id} value={id}>
              {name ?? accountId}, {region}
            </option>
          ))}
        </Select>
      ) : null}
    </>
  )
}
