import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { EMAIL_ADDRESS } from '../lib/address.ts'
import { fileAddress } from '../lib/api.ts'
import { moment } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { LOG_CHOICES } from '../lib/statuses.ts'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { NewMails } from './new-mails.tsx'
import { SOURCES, sourceWord } from './log-words.ts'

const PAGE = 50

/** Every mail in a row: who got it, what became of it, and why. */
export function Logs() {
  const client = useClient()
  const org = useOrganizationId()
  const mayExport = useMay('full')
  const navigate = useNavigate()
  const search = useSearch({ from: '/$org/logs' })
  const { cursor, recipient, status, sourceType } = search
  const query = {
    limit: PAGE,
    ...(cursor === undefined ? {} : { cursor }),
    ...(recipient === undefined ? {} : { recipient }),
    ...(status === undefined ? {} : { status }),
    ...(sourceType === undefined ? {} : { sourceType }),
  }
  const answer = useQuery({
    queryKey: [org, 'logs', 'list', query],
    queryFn: () => client.get('/v1/email/logs', { params: { query } }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: Record<string, string>): void =>
    void navigate({
      to: '/$org/logs',
      params: { org },
      search: Object.fromEntries(
        Object.entries({ recipient, status, sourceType, ...change }).filter(
          ([, value]) => (value ?? '') !== '',
        ),
      ),
    })
  const isFiltered = [recipient, status, sourceType].some((each) => each !== undefined)
  return (
    <Page
      title="Logs"
      about="One row for each mail: whom it was for, and what became of it."
      actions={
        mayExport ? (
          <a
            className="button plain"
            href={fileAddress(org, '/v1/email/logs/export?format=csv')}
            download
          >
            <Download aria-hidden="true" /> Export
          </a>
        ) : undefined
      }
    >
      <Filters>
        <Search
          label="Address of the recipient"
          value={recipient}
          change={(text) => {
            // Part of an address finds nothing.
            if (text === '' || EMAIL_ADDRESS.test(text)) filter({ recipient: text })
          }}
        />
        <FilterSelect
          label="Status"
          value={status}
          change={(chosen) => filter({ status: chosen })}
          choices={LOG_CHOICES}
          all="Any status"
        />
        <FilterSelect
          label="Sent by"
          value={sourceType}
          change={(chosen) => filter({ sourceType: chosen })}
          choices={SOURCES}
          all="Sent by anything"
        />
      </Filters>
      <Card isFlush>
        <Shown answer={answer}>
          {({ logs, nextCursor }) => (
            <>
              {cursor === undefined ? (
                <NewMails query={query} newest={logs[0]?.id} show={answer.refetch} />
              ) : null}
              {logs.length === 0 ? (
                isFiltered ? (
                  <Empty title="No mail is like this">
                    The address must be whole. Drop a filter to see more.
                  </Empty>
                ) : (
                  <Empty title="No mails yet">
                    Each mail that leaves stands here, with its story.
                  </Empty>
                )
              ) : (
                <LogTable logs={logs} />
              )}
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )}
        </Shown>
      </Card>
    </Page>
  )
}

function LogTable({ logs }: { logs: readonly Schemas['EmailLog'][] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Mails, newest first"
      rows={logs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Recipient',
          cell: ({ id, recipient }) => (
            <Link to="/$org/logs/$id" params={{ org, id }}>
              {recipient ?? 'Erased'}
            </Link>
          ),
        },
        { title: 'Status', cell: ({ status }) => <Status list="mail" value={status} /> },
        { title: 'Subject', cell: ({ subject }) => subject ?? '' },
        { title: 'Sent by', cell: ({ sourceType }) => sourceWord(sourceType), isExtra: true },
        { title: 'When', cell: ({ sentAt, createdAt }) => moment(sentAt ?? createdAt) },
      ]}
    />
  )
}
