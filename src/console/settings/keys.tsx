import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { KEY_SCOPES, type KeyScope } from '../../domain/access/access.ts'
import { ago, day, isPast } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Copy } from '../ui/copy.tsx'
import { Check, Field, Form, Select } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Note, Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'

const SCOPE_WORDS: Record<KeyScope, string> = {
  full: 'Everything but people and keys',
  read: 'Reading, but keys, audit and exports',
  contacts: 'Contacts, topics, suppressions, import and export',
  events: 'Sending us events and starting workflows',
  send: 'Batches and single mail',
}
const DAY_MS = 86_400_000
const LIVES = [
  { days: '', words: 'Until it is revoked' },
  { days: '30', words: '30 days' },
  { days: '90', words: '90 days' },
  { days: '365', words: 'A year' },
]

type ApiKey = Schemas['ApiKey']

export function Keys() {
  const mayCreate = useMay('keys')
  const [made, setMade] = useState<string | null>(null)
  return (
    <div className="stack">
      {made === null ? null : <NewKey secret={made} />}
      <KeyList />
      {mayCreate ? <CreateKey show={setMade} /> : null}
    </div>
  )
}

/** Nobody sees it again: not us either. */
function NewKey({ secret }: { secret: string }) {
  return (
    <Note tone="good">
      <strong>The key is made. Copy it now: it is shown only this once.</strong>
      <Copy text={secret} isBlock />
      <p>Try it:</p>
      <Copy
        text={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/v1/organization`}
        isBlock
      />
    </Note>
  )
}

function KeyList() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'keys'],
    queryFn: () => client.get('/v1/api-keys', { params: { query: { limit: 100 } } }),
  })
  return (
    <Card title="API keys" isFlush>
      <Shown answer={answer}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">A program calls the API with a key of its own.</Empty>
          ) : (
            <Table
              caption="API keys"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code> },
                { title: 'May', cell: ({ scopes }) => scopes.join(', ') },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : ago(lastUsedAt)),
                },
                { title: 'Made', cell: ({ createdAt }) => day(createdAt), isExtra: true },
                { title: 'Actions', cell: (key) => <KeyState apiKey={key} />, isUntitled: true },
              ]}
            />
          )
        }
      </Shown>
    </Card>
  )
}

function KeyState({ apiKey: { id, name, revokedAt, expiresAt, lastUsedAt } }: { apiKey: ApiKey }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const mayRevoke = useMay('keys')
  if (revokedAt !== null) return <Mark tone="gone">Revoked</Mark>
  if (expiresAt !== null && isPast(expiresAt)) return <Mark tone="gone">Expired</Mark>
  if (!mayRevoke) return null
  return (
    <Confirm
      label="Revoke"
      action="Revoke the key"
      title={`Revoke “${name}”?`}
      look="quiet"
      done={`“${name}” does not work any more`}
      run={async () => {
        await client.delete('/v1/api-keys/{id}', { params: { path: { id } } })
        await cache.invalidateQueries({ queryKey: [org, 'keys'] })
      }}
    >
      <p>
        Programs that use it are refused within a second, and it never works again.{' '}
        {lastUsedAt === null ? 'It has never been used.' : `It was last used ${ago(lastUsedAt)}.`}
      </p>
    </Confirm>
  )
}

function CreateKey({ show }: { show: (secret: string | null) => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const [isFull, setFull] = useState(true)
  return (
    <Card title="Make a key">
      <Form
        name="api-key"
        action="Make the key"
        isCleared
        submit={async ({ name = '', days = '', ...chosen }) => {
          const scopes = KEY_SCOPES.filter((scope) => chosen[scope] !== undefined)
          const { key } = await client.post('/v1/api-keys', {
            body: {
              name,
              ...(scopes.length === 0 ? {} : { scopes }),
              ...(days === ''
                ? {}
                : { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
            },
          })
          show(key)
          setFull(true)
          await cache.invalidateQueries({ queryKey: [org, 'keys'] })
        }}
      >
        <Field
          label="Name"
          name="name"
          hint="The program that will use it, so that you know later what to revoke."
          required
          maxLength={200}
        />
        <fieldset className="stack close">
          <legend className="legend">What it may do</legend>
          <Check
            label={SCOPE_WORDS.full}
            name="full"
            value="yes"
            checked={isFull}
            onChange={(event) => setFull(event.currentTarget.checked)}
          />
          {isFull
            ? null
            : KEY_SCOPES.filter((scope) => scope !== 'full').map((scope) => (
                <Check key={scope} label={SCOPE_WORDS[scope]} name={scope} value="yes" />
              ))}
        </fieldset>
        <Select label="Works" name="days" defaultValue="">
          {LIVES.map(({ days, words }) => (
            <option key={days} value={days}>
              {words}
            </option>
          ))}
        </Select>
      </Form>
    </Card>
  )
}
