import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { bytes, counted } from '../lib/format.ts'
import { EMAIL_ADDRESS } from '../lib/address.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { explain } from '../lib/explain.ts'
import { Filters, Search } from '../ui/filters.tsx'
import { MailFrame } from '../ui/mail-frame.tsx'
import { Card } from '../ui/page.tsx'
import { Loading, Note } from '../ui/states.tsx'
import { SourceText } from './source-text.tsx'

type Preview = Schemas['TemplatePreview']

const VIEWS = ['Mail', 'Text', 'HTML'] as const
type View = (typeof VIEWS)[number]

interface TemplatePreviewProps {
  id: string
  /** The version of the draft that the server has. */
  savedAt: string
}

/** The server's own mail, for a made-up person or for a contact: what is shown is what is sent. */
export function TemplatePreview({ id, savedAt }: TemplatePreviewProps) {
  const client = useClient()
  const org = useOrganizationId()
  const [email, setEmail] = useState('')
  const [view, setView] = useState<View>('Mail')
  const contact = useQuery({
    queryKey: [org, 'contacts', 'by-email', email],
    queryFn: () =>
      client.get('/v1/contacts/{id}', { params: { path: { id: email }, query: { by: 'email' } } }),
    enabled: email !== '',
  })
  const contactId = email === '' ? undefined : contact.data?.id
  const { data, error } = useQuery({
    queryKey: [org, 'template-preview', id, savedAt, contactId],
    queryFn: () =>
      client.post('/v1/templates/{id}/preview', {
        params: { path: { id } },
        body: contactId === undefined ? null : { contactId },
      }),
    enabled: email === '' || contactId !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    // Each is a whole mail: those of a long evening need not be kept.
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  })
  return (
    <Card
      title="What people get"
      actions={
        <fieldset className="row">
          <legend className="read-aloud">Shown as</legend>
          {VIEWS.map((each) => (
            <button
              key={each}
              type="button"
              className="button quiet"
              aria-pressed={each === view}
              onClick={() => setView(each)}
            >
              {each}
            </button>
          ))}
        </fieldset>
      }
    >
      <div className="stack">
        <Filters>
          <Search
            label="Address of a contact to see their mail"
            value={email}
            change={(text) => {
              if (text === '' || EMAIL_ADDRESS.test(text)) setEmail(text)
            }}
          />
        </Filters>
        {contact.error ? (
          <Note tone="careful">
            <p>No contact has this address.</p>
          </Note>
        ) : error ? (
          <Refused error={error} />
        ) : data ? (
          <ShownMail preview={data} view={view} />
        ) : (
          <Loading />
        )}
      </div>
    </Card>
  )
}

function Refused({ error }: { error: unknown }) {
  const { title, text, fields } = explain(error)
  const [, message] = Object.entries(fields)[0] ?? []
  return (
    <Note tone="bad">
      <strong>{title}</strong>
      <p>{message === undefined || text.includes(message) ? text : `${text} It ${message}.`}</p>
    </Note>
  )
}

function ShownMail({ preview, view }: { preview: Preview; view: View }) {
  const { subject, email, problem, checks, sizeBytes } = preview
  return (
    <>
      <p className="soft">
        As {email ?? 'somebody'} gets it, {bytes(sizeBytes)}: <strong>{subject}</strong>
      </p>
      {problem === null ? (
        <Body preview={preview} view={view} />
      ) : (
        <Note tone="bad">
          <p>{problem.message}</p>
        </Note>
      )}
      <Checks checks={checks} />
    </>
  )
}

function Body({ preview: { html, text }, view }: { preview: Preview; view: View }): ReactNode {
  switch (view) {
    case 'Mail':
      return <MailFrame html={html ?? ''} title="The mail" hasDark />
    case 'Text':
      return <SourceText text={text ?? ''} label="Text of the mail" />
    case 'HTML':
      return <SourceText text={html ?? ''} label="HTML of the mail" />
  }
}

function Checks({ checks }: { checks: Preview['checks'] }) {
  if (checks.length === 0) return null
  return (
    <details open={checks.length < 4}>
      <summary>{counted(checks.length, 'thing')} to look at in the mail</summary>
      <ul className="stack close">
        {checks.map(({ code, message, severity }) => (
          <li key={`${code} ${message}`}>
            <Note tone={severity === 'warning' ? 'careful' : 'plain'}>
              <p>{message}</p>
            </Note>
          </li>
        ))}
      </ul>
    </details>
  )
}
