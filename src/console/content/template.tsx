import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Ellipsis, Plus, Send, Upload } from 'lucide-react'
import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import type { Insert } from '../ui/code-editor.tsx'
import { Field, Select } from '../ui/form.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Failure, Loading, Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { useToast } from '../ui/toast.tsx'
import { DeleteTemplate } from './delete-template.tsx'
import { TemplateClicks } from './template-clicks.tsx'
import { TemplatePreview } from './template-preview.tsx'
import { TemplateTest } from './template-test.tsx'
import { TemplateVersions } from './template-versions.tsx'
import { type SaveState, type TemplateDraft, useTemplateDraft } from './use-template-draft.ts'
import { Variables } from './variables.tsx'
import './template.css'

// The editor is as heavy as all the rest of the console.
const CodeEditor = lazy(async () => ({
  default: (await import('../ui/code-editor.tsx')).CodeEditor,
}))

type Template = Schemas['Template']

/** One template: what it says, what people get of it, and its published versions. */
export function TemplatePage() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/templates/$id' })
  const answer = useQuery({
    queryKey: [org, 'templates', 'one', id],
    queryFn: () => client.get('/v1/templates/{id}', { params: { path: { id } } }),
    // What somebody writes must not be replaced under their hands.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: 0,
    gcTime: 0,
  })
  if (answer.data) return <TemplateEditor key={answer.data.id} template={answer.data} />
  return (
    <Page title="Template" above={<ToTemplates />}>
      <Shown answer={answer}>{() => null}</Shown>
    </Page>
  )
}

function ToTemplates() {
  const org = useOrganizationId()
  return (
    <Link to="/$org/templates" params={{ org }}>
      Templates
    </Link>
  )
}

function TemplateEditor({ template }: { template: Template }) {
  const mayWrite = useMay('templates')
  const isReadOnly = !mayWrite || template.status === 'ARCHIVED'
  const editing = useTemplateDraft(template)
  const { draft, change, state, error } = editing
  const [isTesting, setTesting] = useState(false)
  return (
    <Page
      title={draft.name || template.name}
      about={stateWords(template, state)}
      above={<ToTemplates />}
      actions={
        mayWrite ? (
          <>
            <Button
              icon={<Send aria-hidden="true" />}
              onClick={() => {
                void editing.flush().then((isSaved) => setTesting(isSaved))
              }}
            >
              Send a test
            </Button>
            {isReadOnly ? null : <Publish template={template} editing={editing} />}
            <MoreActions template={template} editing={editing} />
          </>
        ) : (
          <Status list="template" value={template.status} />
        )
      }
    >
      {template.status === 'ARCHIVED' ? (
        <Note>
          <p>It is archived: nothing new can use it. Restore it to write on.</p>
        </Note>
      ) : null}
      {state === 'stale' ? (
        <Stale
          keepMine={() => void editing.keepMine()}
          takeTheirs={() => void editing.takeTheirs()}
        />
      ) : null}
      {state === 'failed' ? <Failure error={error} retry={() => editing.flush()} /> : null}
      <div className="template-editor">
        <Card>
          <Writing draft={draft} change={change} isReadOnly={isReadOnly} />
        </Card>
        <div className="template-side">
          <TemplatePreview id={template.id} savedAt={editing.updatedAt} />
        </div>
      </div>
      {template.version > 0 ? (
        <div className="columns halves">
          <TemplateVersions template={template} use={isReadOnly ? undefined : change} />
          <TemplateClicks id={template.id} />
        </div>
      ) : null}
      <TemplateTest id={template.id} isOpen={isTesting} close={() => setTesting(false)} />
    </Page>
  )
}

const SAVE_WORDS: Record<SaveState, string> = {
  saved: 'All is saved.',
  changed: 'Not saved yet …',
  saving: 'Saving …',
  failed: 'Not saved.',
  stale: 'Not saved: somebody else has changed it.',
}

function stateWords({ version, hasUnpublishedChanges }: Template, state: SaveState) {
  const published =
    version === 0
      ? 'Not published yet: nothing can use it.'
      : hasUnpublishedChanges
        ? `Version ${version} is published; what you see has changed since.`
        : `Version ${version} is published.`
  return (
    <>
      {published} <span role="status">{SAVE_WORDS[state]}</span>
    </>
  )
}

interface StaleProps {
  keepMine: () => void
  takeTheirs: () => void
}

function Stale({ keepMine, takeTheirs }: StaleProps) {
  return (
    <Note tone="careful">
      <strong>Somebody else has saved this template while you wrote</strong>
      <p>Nothing of yours is lost: it is on this page. Choose which text goes on.</p>
      <div className="row">
        <Button onClick={keepMine}>Keep mine</Button>
        <Button onClick={takeTheirs}>Show theirs</Button>
      </div>
    </Note>
  )
}

type Editing = ReturnType<typeof useTemplateDraft>

function Publish({ template, editing }: { template: Template; editing: Editing }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const publish = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      if (!(await editing.flush())) return
      const { id } = template
      const published = await client.post('/v1/templates/{id}/publish', {
        params: { path: { id } },
        body: null,
      })
      editing.noteTemplate(published)
      await cache.invalidateQueries({ queryKey: [org, 'template-versions', id] })
      await cache.invalidateQueries({ queryKey: [org, 'templates', 'list'] })
      toast(`Version ${published.version} is published: what is sent from now on uses it`)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        look="primary"
        isBusy={isBusy}
        icon={<Upload aria-hidden="true" />}
        onClick={() => void publish()}
      >
        Publish
      </Button>
      {error === undefined ? null : <Failure error={error} />}
    </>
  )
}

function MoreActions({ template, editing }: { template: Template; editing: Editing }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [isDeleting, setDeleting] = useState(false)
  const [error, setError] = useState<unknown>()
  const { id, status, version } = template
  const run = async (work: () => Promise<void>): Promise<void> => {
    setError(undefined)
    try {
      await work()
      await cache.invalidateQueries({ queryKey: [org, 'templates', 'list'] })
    } catch (problem) {
      setError(problem)
    }
  }
  const duplicate = async (): Promise<void> => {
    if (!(await editing.flush())) return
    const copy = await client.post('/v1/templates/{id}/duplicate', {
      params: { path: { id } },
      body: null,
    })
    toast('The copy is a draft')
    await navigate({ to: '/$org/templates/$id', params: { org, id: copy.id } })
  }
  const archive = async (next: Template['status']): Promise<void> => {
    if (!(await editing.flush())) return
    const changed = await client.patch('/v1/templates/{id}', {
      params: { path: { id } },
      body: { status: next },
    })
    editing.noteTemplate(changed)
    toast(next === 'ARCHIVED' ? 'Archived: nothing new can use it' : 'It can be used again')
  }
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button look="quiet" icon={<Ellipsis aria-hidden="true" />}>
            More
          </Button>
        }
      >
        <MenuItem run={() => void run(duplicate)}>Duplicate</MenuItem>
        {status === 'ARCHIVED' ? (
          <MenuItem run={() => void run(() => archive(version === 0 ? 'DRAFT' : 'PUBLISHED'))}>
            Restore
          </MenuItem>
        ) : (
          <MenuItem run={() => void run(() => archive('ARCHIVED'))}>Archive</MenuItem>
        )}
        <MenuItem run={() => setDeleting(true)}>Delete …</MenuItem>
      </Menu>
      {error === undefined ? null : <Failure error={error} />}
      <DeleteTemplate template={template} isOpen={isDeleting} close={() => setDeleting(false)} />
    </>
  )
}

interface WritingProps {
  draft: TemplateDraft
  change: (part: Partial<TemplateDraft>) => void
  isReadOnly: boolean
}

const INSERTIONS = [
  { name: 'First name', text: '{{ contact.firstName | default: "there" }}' },
  { name: 'Last name', text: '{{ contact.lastName | default: "" }}' },
  { name: 'Email address', text: '{{ contact.email }}' },
  { name: 'A property', text: '{{ contact.properties.plan | default: "" }}' },
  { name: 'Link to unsubscribe', text: '<a href="{{ unsubscribeUrl }}">Unsubscribe</a>' },
  { name: 'Link to preferences', text: '<a href="{{ preferencesUrl }}">Choose what you get</a>' },
  { name: 'Postal address', text: '{{ organization.postalAddress | default: "" }}' },
] as const

function Writing({ draft, change, isReadOnly }: WritingProps) {
  const insert = useRef<Insert>(undefined)
  const noteInsert = useCallback((ready: Insert): void => {
    insert.current = ready
  }, [])
  return (
    <div className="stack">
      <Field
        label="Name"
        name="name"
        value={draft.name}
        maxLength={200}
        readOnly={isReadOnly}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Field
        label="Subject"
        name="subject"
        value={draft.subject}
        maxLength={998}
        readOnly={isReadOnly}
        onChange={(event) => change({ subject: event.currentTarget.value })}
      />
      <Field
        label="Preview text"
        name="previewText"
        hint="Stands beside the subject in most inboxes."
        isOptional
        value={draft.previewText}
        maxLength={500}
        readOnly={isReadOnly}
        onChange={(event) => change({ previewText: event.currentTarget.value })}
      />
      <div className="columns">
        <Select
          label="Written in"
          name="sourceType"
          value={draft.sourceType}
          disabled={isReadOnly}
          onChange={({ currentTarget: { value } }) =>
            change({ sourceType: value === 'mjml' ? 'mjml' : 'html' })
          }
        >
          <option value="mjml">MJML</option>
          <option value="html">HTML</option>
        </Select>
        <Select
          label="Kind of mail"
          name="emailType"
          value={draft.emailType}
          disabled={isReadOnly}
          onChange={({ currentTarget: { value } }) =>
            change({ emailType: value === 'transactional' ? 'transactional' : 'marketing' })
          }
        >
          <option value="marketing">Marketing: can be unsubscribed from</option>
          <option value="transactional">About something the person did</option>
        </Select>
      </div>
      <div className="stack close">
        <div className="row between">
          <h2 className="legend">Mail</h2>
          {isReadOnly ? null : (
            <Menu
              align="end"
              trigger={
                <Button look="quiet" icon={<Plus aria-hidden="true" />}>
                  Insert
                </Button>
              }
            >
              {INSERTIONS.map(({ name, text }) => (
                <MenuItem key={name} run={() => insert.current?.(text)}>
                  {name}
                </MenuItem>
              ))}
            </Menu>
          )}
        </div>
        <Suspense fallback={<Loading rows={8} />}>
          <CodeEditor
            label="Mail"
            value={draft.source}
            change={(source) => change({ source })}
            isReadOnly={isReadOnly}
            ready={noteInsert}
          />
        </Suspense>
      </div>
      <Variables
        variables={draft.variables}
        change={(variables) => change({ variables })}
        isReadOnly={isReadOnly}
      />
    </div>
  )
}
