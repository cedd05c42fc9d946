import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, Plus, Upload } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { EMAIL_STATUSES } from '../../domain/status.ts'
import { fileAddress } from '../lib/api.ts'
import { counted, day, number } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { statusOf } from '../lib/statuses.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { AddContact } from './add-contact.tsx'

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
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const { cursor, search, emailStatus } = useSearch({ from: '/$org/contacts' })
  const answer = useQuery({
    queryKey: [org, 'contacts', 'list', cursor, search, emailStatus],
    queryFn: () =>
      client.get('/v1/contacts', {
        params: {
          query: {
            pageSize: PAGE,
            ...(cursor === undefined ? {} : { cursor }),
            ...(search === undefined ? {} : { search }),
            ...(emailStatus === undefined ? {} : { emailStatus }),
          },
        },
      }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: { search?: string; emailStatus?: string }): void =>
    void navigate({
      to: '/$org/contacts',
      params: { org },
      search: Object.fromEntries(
        Object.entries({ search, emailStatus, ...change }).filter(
          ([, value]) => (value ?? '') !== '',
        ),
      ),
    })
  return (
    <>
      <Filters>
        <Search
          label="Search addresses and names"
          value={search}
          change={(text) => filter({ search: text })}
        />
        <FilterSelect
          label="Status of the address"
          value={emailStatus}
          change={(chosen) => filter({ emailStatus: chosen })}
          choices={CHOICES}
          all="Any status"
        />
      </Filters>
      <Card isFlush>
        <Shown answer={answer}>
          {({ contacts, total, totalIsExact, nextCursor }) =>
            contacts.length === 0 ? (
              search === undefined && emailStatus === undefined ? (
                <Empty title="No contacts yet">
                  Add a few by hand, or import a file with one person in each row.
                </Empty>
              ) : (
                <Empty title="Nobody is like this">Drop the search or choose another status.</Empty>
              )
            ) : (
              <>
                <p className="table-count soft">
                  {totalIsExact ? counted(total, 'contact') : `${number(total)} contacts or more`}
                </p>
                <ContactTable contacts={contacts} />
                <Pager cursor={cursor} nextCursor={nextCursor} />
              </>
            )
          }
        </Shown>
      </Card>
    </>
  )
}

function ContactTable({ contacts }: { contacts: readonly Contact[] }) {
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
            <Link to="/$org/contacts/$id" params={{ org, id: contact.id }}>
              {contact.email ?? contact.phone}
            </Link>
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
