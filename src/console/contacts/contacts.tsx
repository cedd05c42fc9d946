import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, Plus, Upload } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { EMAIL_STATUSES } from '../../domain/status.ts'
import { fileAddress } from '../lib/api.ts'
import { counted, day, number } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useHasSegments } from '../lib/plan.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { isEmailStatus, statusOf } from '../lib/statuses.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { Check } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { AddContact } from './add-contact.tsx'
import { SelectedContacts } from './selected-contacts.tsx'
import './contacts.css'

const PAGE = 50

type Contact = Schemas['Contact']

const CHOICES = EMAIL_STATUSES.map((value) => ({ value, label: statusOf('contact', value).word }))

export function Contacts() {
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Contacts"
      about="People who get your mail. Whoever has left is never mailed, whatever writes to them here."
      actions={
        mayWrite ? (
          <>
            <a
              className="button plain"
              href={fileAddress(org, '/v1/contacts/export?format=csv')}
              download
            >
              <Download aria-hidden="true" /> Export
            </a>
            <ButtonLink to="/$org/imports" params={{ org }} icon={<Upload aria-hidden="true" />}>
              Import a file
            </ButtonLink>
            <Button
              look="primary"
              data-new
              icon={<Plus aria-hidden="true" />}
              onClick={() => setAdding(true)}
            >
              Add a contact
            </Button>
          </>
        ) : undefined
      }
    >
      <ContactList />
      <AddContact isOpen={isAdding} close={() => setAdding(false)} />
    </Page>
  )
}

function ContactList() {
  const mayWrite = useMay('contacts')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const { cursor, ...filters } = useSearch({ from: '/$org/contacts' })
  const answer = useQuery({
    queryKey: [org, 'contacts', 'list', cursor, filters],
    queryFn: () =>
      client.get('/v1/contacts', {
        params: {
          query: { pageSize: PAGE, ...presentParts({ cursor }), ...filters },
        },
      }),
    placeholderData: keepPreviousData,
  })
  const topics = useQuery({
    queryKey: [org, 'topics'],
    queryFn: () => client.get('/v1/topics', { params: { query: { limit: 100 } } }),
  })
  const hasSegments = useHasSegments() === true
  const segments = useQuery({
    queryKey: [org, 'segments'],
    queryFn: () => client.get('/v1/segments', { params: { query: { limit: 100 } } }),
    enabled: hasSegments,
  })
  const filter = (change: Partial<Record<keyof typeof filters, string>>): void => {
    const { emailStatus, ...texts } = { ...filters, ...change }
    void navigate({
      to: '/$org/contacts',
      params: { org },
      search: presentParts({
        ...texts,
        emailStatus: isEmailStatus(emailStatus) ? emailStatus : undefined,
      }),
    })
  }
  return (
    <>
      <Filters>
        <Search
          label="Search addresses and names"
          value={filters.search}
          change={(text) => filter({ search: text })}
        />
        <FilterSelect
          label="Status of the address"
          value={filters.emailStatus}
          change={(chosen) => filter({ emailStatus: chosen })}
          choices={CHOICES}
          all="Any status"
        />
        <ListFilter
          label="Topic"
          value={filters.topicId}
          change={(topicId) => filter({ topicId })}
          choices={(topics.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          all="Any topic"
        />
        <ListFilter
          label="Segment"
          value={filters.segmentId}
          change={(segmentId) => filter({ segmentId })}
          choices={(segments.data?.segments ?? []).map(({ id, name }) => ({
            value: id,
            label: name,
          }))}
          all="Any segment"
        />
      </Filters>
      <Card isFlush>
        <Shown answer={answer}>
          {({ contacts, total, totalIsExact, nextCursor }) =>
            contacts.length === 0 ? (
              Object.keys(filters).length === 0 ? (
                <Empty title="No contacts yet">
                  Add a few by hand, or import a file with one person in each row.
                </Empty>
              ) : (
                <Empty title="Nobody is like this">Drop the search or a filter.</Empty>
              )
            ) : (
              <>
                <p className="table-count soft">
                  {totalIsExact ? counted(total, 'contact') : `${number(total)} contacts or more`}
                </p>
                {mayWrite ? (
                  <Selection contacts={contacts} ticked={ticked} tick={setTicked} />
                ) : (
                  <ContactTable contacts={contacts} />
                )}
                <Pager cursor={cursor} nextCursor={nextCursor} />
              </>
            )
          }
        </Shown>
      </Card>
    </>
  )
}

/** A filter by a list of the organization's own: of an empty one there is nothing to choose. */
function ListFilter(props: ComponentProps<typeof FilterSelect>) {
  return props.choices.length === 0 && props.value === undefined ? null : (
    <FilterSelect {...props} />
  )
}

interface SelectionProps {
  contacts: readonly Contact[]
  /** Ids. Of other pages they count once somebody is back there. */
  ticked: ReadonlySet<string>
  tick: (ids: ReadonlySet<string>) => void
}

/** The table with a box before each row, and what to do with the rows that are ticked. */
function Selection({ contacts, ticked, tick }: SelectionProps) {
  const selected = contacts.filter(({ id }) => ticked.has(id))
  const areAll = selected.length === contacts.length
  const clear = (): void => tick(new Set())
  return (
    <>
      <div className="selection">
        <Check
          label="Select all on this page"
          checked={areAll}
          onChange={() => (areAll ? clear() : tick(new Set(contacts.map(({ id }) => id))))}
        />
        {selected.length === 0 ? null : <SelectedContacts selected={selected} clear={clear} />}
      </div>
      <ContactTable
        contacts={contacts}
        boxOf={({ id, email, phone }) => (
          <input
            type="checkbox"
            aria-label={`Select ${email ?? phone ?? id}`}
            checked={ticked.has(id)}
            onChange={({ currentTarget: { checked } }) =>
              tick(new Set([...ticked].filter((each) => each !== id).concat(checked ? [id] : [])))
            }
          />
        )}
      />
    </>
  )
}

interface ContactTableProps {
  contacts: readonly Contact[]
  boxOf?: (contact: Contact) => ReactNode
}

function ContactTable({ contacts, boxOf }: ContactTableProps) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Contacts, newest first"
      rows={contacts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Contact',
          cell: (contact) => (
            <span className="row-name">
              {boxOf?.(contact)}
              <Link to="/$org/contacts/$id" params={{ org, id: contact.id }}>
                {contact.email ?? contact.phone ?? contact.externalId}
              </Link>
            </span>
          ),
        },
        { title: 'Name', cell: nameOf },
        {
          title: 'Status',
          cell: ({ emailStatus }) =>
            emailStatus === null ? 'No address' : <Status list="contact" value={emailStatus} />,
        },
        { title: 'Company', cell: ({ company }) => company ?? '', isExtra: true },
        { title: 'Since', cell: ({ createdAt }) => day(createdAt), isExtra: true },
      ]}
    />
  )
}

export const nameOf = ({ firstName, lastName }: Pick<Contact, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter((part) => part !== null).join(' ')
