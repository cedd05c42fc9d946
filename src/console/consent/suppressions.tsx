import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { EMAIL_ADDRESS } from '../lib/address.ts'
import { statusOf } from '../lib/statuses.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { Field, Form } from '../ui/form.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { isSuppressionReason, SUPPRESSION_REASONS } from './suppression-reasons.ts'

const PAGE = 50

type Suppression = Schemas['Suppression']

const CHOICES = SUPPRESSION_REASONS.map((value) => ({
  value,
  label: statusOf('contact', value).word,
}))

/** Addresses that get no mail, whatever anybody writes to them. */
export function Suppressions() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const { cursor, email, reason } = useSearch({ from: '/$org/suppressions' })
  const answer = useQuery({
    queryKey: [org, 'suppressions', cursor, email, reason],
    queryFn: () =>
      client.get('/v1/suppressions', {
        params: { query: { limit: PAGE, ...presentParts({ cursor, email, reason }) } },
      }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: { email?: string; reason?: string }): void => {
    const next = { email, reason, ...change }
    void navigate({
      to: '/$org/suppressions',
      params: { org },
      search: presentParts({
        email: next.email,
        reason: isSuppressionReason(next.reason) ? next.reason : undefined,
      }),
    })
  }
  return (
    <Page
      title="Suppressions"
      about="Addresses that get no mail, whatever is written to them: people who left, complained or cannot be reached."
      actions={
        mayWrite ? (
          <Button
            look="primary"
            data-new
            icon={<Plus aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            Suppress an address
          </Button>
        ) : undefined
      }
    >
      <Filters>
        <Search
          label="A whole address"
          value={email}
          change={(text) => {
            // Part of an address finds nothing.
            if (text === '' || EMAIL_ADDRESS.test(text)) filter({ email: text })
          }}
        />
        <FilterSelect
          label="Reason"
          value={reason}
          change={(chosen) => filter({ reason: chosen })}
          choices={CHOICES}
          all="Any reason"
        />
      </Filters>
      <ListCard
        answer={answer}
        cursor={cursor}
        isFiltered={email !== undefined || reason !== undefined}
        empty={
          <Empty title="Nobody is suppressed">
            Whoever unsubscribes, complains or cannot be reached is listed here by itself.
          </Empty>
        }
        nothingFound={
          <Empty title="No such address is suppressed">
            The address must be whole. Drop a filter to see more.
          </Empty>
        }
      >
        {(rows) => <SuppressionTable rows={rows} mayWrite={mayWrite} />}
      </ListCard>
      <AddSuppression isOpen={isAdding} close={() => setAdding(false)} />
    </Page>
  )
}

const SOURCES: Record<Suppression['source'], string> = {
  link: 'The person, by a link',
  event: 'AWS told it',
  api: 'Somebody here, or a program',
  import: 'An import',
}

interface SuppressionTableProps {
  rows: readonly Suppression[]
  mayWrite: boolean
}

function SuppressionTable({ rows, mayWrite }: SuppressionTableProps) {
  return (
    <Table
      caption="Suppressed addresses, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Address', cell: ({ email }) => email ?? 'Erased: only its hash is kept' },
        { title: 'Reason', cell: ({ reason }) => <Status list="contact" value={reason} /> },
        { title: 'Who said so', cell: ({ source }) => SOURCES[source] },
        { title: 'Since', cell: ({ createdAt }) => moment(createdAt), isExtra: true },
        {
          title: 'Actions',
          cell: (row) => (mayWrite && row.email !== null ? <Remove row={row} /> : null),
          isUntitled: true,
        },
      ]}
    />
  )
}

const CONSEQUENCES: Record<Suppression['reason'], string> = {
  unsubscribed: 'They asked for no more mail. Take the address off only if they have asked again.',
  bounced:
    'Their server refused the address for good. If it still does, the next mail bounces, and many bounces harm your account at AWS.',
  suppressed: 'It was put here so that it is never mailed again.',
  opted_out: 'They asked for no more text messages.',
  invalid: 'The number cannot get text messages.',
  complained:
    'They reported your mail as spam. Mail them again and AWS may pause your account: ask them first.',
}

function Remove({ row: { email, reason } }: { row: Suppression }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Confirm
      label="Take off"
      action="Take it off the list"
      title={`Take ${email} off the list?`}
      look="quiet"
      done={`${email} is not suppressed any more`}
      run={async () => {
        await client.delete('/v1/suppressions/{email}', {
          params: { path: { email: email ?? '' } },
        })
        await cache.invalidateQueries({ queryKey: [org, 'suppressions'] })
      }}
    >
      <p>{CONSEQUENCES[reason]}</p>
      <p>A contact with the address keeps its status: it still gets no mail until that changes.</p>
    </Confirm>
  )
}

function AddSuppression({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Dialog
      title="Suppress an address"
      about="It never gets mail from here again, by batches, workflows or programs, whether a contact has it or not."
      isOpen={isOpen}
      close={close}
    >
      <Form
        name="suppression"
        action="Suppress it"
        done="The address gets no more mail"
        isCleared
        submit={async ({ email = '' }) => {
          await client.post('/v1/suppressions', { body: { email } })
          await cache.invalidateQueries({ queryKey: [org, 'suppressions'] })
          close()
        }}
      >
        <Field label="Email address" name="email" type="email" autoComplete="off" required />
      </Form>
    </Dialog>
  )
}
