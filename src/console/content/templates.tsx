import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { ago } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { Field, Form } from '../ui/form.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { STARTERS } from './starters.ts'
import { isTemplateStatus, TEMPLATE_STATUS_CHOICES } from './template-words.ts'

const PAGE = 50

type TemplateSummary = Schemas['TemplateSummary']

export function Templates() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('templates')
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const { cursor, status, search } = useSearch({ from: '/$org/templates' })
  const answer = useQuery({
    queryKey: [org, 'templates', 'list', cursor, status, search],
    queryFn: () =>
      client.get('/v1/templates', {
        params: { query: { limit: PAGE, ...presentParts({ cursor, status, search }) } },
      }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: { status?: string; search?: string }): void => {
    const next = { status, search, ...change }
    void navigate({
      to: '/$org/templates',
      params: { org },
      search: presentParts({
        search: next.search,
        status: isTemplateStatus(next.status) ? next.status : undefined,
      }),
    })
  }
  return (
    <Page
      title="Templates"
      about="A template is a mail that is written once and sent often: by batches, workflows and programs. They use what was published last."
      actions={
        mayWrite ? (
          <Button
            look="primary"
            data-new
            icon={<Plus aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            New template
          </Button>
        ) : undefined
      }
    >
      <Filters>
        <Search
          label="Search names and slugs"
          value={search}
          change={(text) => filter({ search: text })}
        />
        <FilterSelect
          label="Status"
          value={status}
          change={(chosen) => filter({ status: chosen })}
          choices={TEMPLATE_STATUS_CHOICES}
          all="Any status"
        />
      </Filters>
      <ListCard
        answer={answer}
        cursor={cursor}
        isFiltered={status !== undefined || search !== undefined}
        empty={
          <Empty title="No templates yet">
            Begin with a newsletter or a plain mail, and see beside it what people get.
          </Empty>
        }
        nothingFound={
          <Empty title="No template is like this">Drop the search or choose another status.</Empty>
        }
      >
        {(templates) => <TemplateTable templates={templates} />}
      </ListCard>
      <NewTemplate isOpen={isAdding} close={() => setAdding(false)} />
    </Page>
  )
}

function TemplateTable({ templates }: { templates: readonly TemplateSummary[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Templates, newest first"
      rows={templates}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Template',
          cell: ({ id, name }) => (
            <Link to="/$org/templates/$id" params={{ org, id }}>
              {name}
            </Link>
          ),
        },
        { title: 'Status', cell: ({ status }) => <Status list="template" value={status} /> },
        { title: 'Published', cell: versionOf },
        { title: 'Subject', cell: ({ subject }) => subject ?? '', isExtra: true },
        { title: 'Changed', cell: ({ updatedAt }) => ago(updatedAt), isExtra: true },
      ]}
    />
  )
}

const versionOf = ({ version, hasUnpublishedChanges }: TemplateSummary): string =>
  version === 0 ? 'Not yet' : `Version ${version}${hasUnpublishedChanges ? ', changed since' : ''}`

function NewTemplate({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Dialog
      title="New template"
      about="It is a draft until you publish it: nothing uses it before."
      isOpen={isOpen}
      close={close}
    >
      <Form
        name="template"
        action="Write it"
        isCleared
        submit={async ({ name = '', starter }) => {
          const chosen = STARTERS.find(({ id }) => id === starter) ?? STARTERS[0]
          if (!chosen) return
          const { id } = await client.post('/v1/templates', {
            body: { name: name.trim(), status: 'DRAFT', ...chosen.input },
          })
          await cache.invalidateQueries({ queryKey: [org, 'templates'] })
          close()
          await navigate({ to: '/$org/templates/$id', params: { org, id } })
        }}
      >
        <Field
          label="Name"
          name="name"
          hint="For you: readers see the subject."
          maxLength={200}
          autoComplete="off"
          required
        />
        <fieldset className="stack close">
          <legend className="legend">Begin with</legend>
          {STARTERS.map(({ id, name, about }, at) => (
            <label key={id} className="check">
              <input type="radio" name="starter" value={id} defaultChecked={at === 0} />
              <span>{`${name}: ${about}`}</span>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  )
}
