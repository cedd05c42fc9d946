import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type ChangeEvent, useRef, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { fileAddress, sendFile } from '../lib/api.ts'
import { configQuery } from '../lib/config.ts'
import { ago, counted, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Failure, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'

const REFRESH_MS = 2_000
const EXAMPLES = 1_000

type Import = Schemas['Import']

const isRunning = ({ status }: Import): boolean =>
  status === 'receiving' || status === 'pending' || status === 'running'

/** Files of contacts: tried if one wants, read in the background, with the rows that failed. */
export function Imports() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const answer = useQuery({
    queryKey: [org, 'imports'],
    queryFn: () => client.get('/v1/contacts/imports', { params: { query: { limit: 50 } } }),
    refetchInterval: useRefresh<Schemas['ImportList']>((list) =>
      list?.data.some(isRunning) ? REFRESH_MS : false,
    ),
  })
  return (
    <Page
      title="Imports"
      about="A file with one person in each row: CSV with a head, or a line of JSON for each."
      above={
        <Link to="/$org/contacts" params={{ org }}>
          Contacts
        </Link>
      }
    >
      {mayWrite ? <NewImport /> : null}
      <Card title="Imports" isFlush>
        <Shown answer={answer}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No imports yet">
                What was imported stands here, with the rows that failed.
              </Empty>
            ) : (
              <ImportTable imports={data} />
            )
          }
        </Shown>
      </Card>
    </Page>
  )
}

function NewImport() {
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { data: config } = useQuery(configQuery)
  const field = useRef<HTMLInputElement>(null)
  const [isTrial, setTrial] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const send = async (file: Blob, type: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await sendFile(org, `/v1/contacts/import${isTrial ? '?dryRun=true' : ''}`, file, type)
      await cache.invalidateQueries({ queryKey: [org, 'imports'] })
      await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? []
    currentTarget.value = ''
    if (file) await send(file, /\.(?:ndjson|jsonl)$/i.test(file.name) ? NDJSON : CSV)
  }
  return (
    <Card title="Import a file">
      <div className="stack">
        <p className="soft">
          The first row names the columns: <code>email</code>, <code>firstName</code>,{' '}
          <code>lastName</code>, <code>company</code>; all others become properties. Who is there
          already is changed; whoever has left stays left.
        </p>
        <Check
          label="Only try it: read all rows and say what is wrong, and change nothing"
          checked={isTrial}
          onChange={(event) => setTrial(event.currentTarget.checked)}
        />
        <div className="row">
          <input
            ref={field}
            type="file"
            accept=".csv,.txt,.ndjson,.jsonl"
            className="read-aloud"
            aria-label="File of contacts"
            tabIndex={-1}
            onChange={(event) => void choose(event)}
          />
          <Button
            look="primary"
            isBusy={isBusy}
            icon={<Upload aria-hidden="true" />}
            onClick={() => field.current?.click()}
          >
            {isTrial ? 'Choose a file to try' : 'Choose a file to import'}
          </Button>
          {config?.isDevelopment ? (
            <Button isBusy={isBusy} onClick={() => void send(examplePeople(), CSV)}>
              Add {number(EXAMPLES)} example people
            </Button>
          ) : null}
        </div>
        {error === undefined ? null : <Failure error={error} />}
      </div>
    </Card>
  )
}

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'
const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Tim']

/** Made up; `example.com` is nobody’s, and no mail of a development system leaves the machine. */
function examplePeople(): Blob {
  const rows = Array.from({ length: EXAMPLES }, (_, at) => {
    const name = FIRST_NAMES[at % FIRST_NAMES.length] ?? ''
    return `${name.toLowerCase()}.${at + 1}@example.com,${name},Example ${at + 1}`
  })
  return new Blob([['email,firstName,lastName', ...rows].join('\n')], { type: CSV })
}

function ImportTable({ imports }: { imports: readonly Import[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Imports, newest first"
      rows={imports}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Import',
          cell: ({ dryRun, createdAt }) => `${dryRun ? 'Trial, ' : ''}${ago(createdAt)}`,
        },
        { title: 'Status', cell: ({ status }) => <Status list="import" value={status} /> },
        { title: 'Rows', cell: ({ rows }) => number(rows), isFigure: true },
        { title: 'New', cell: ({ created }) => number(created), isFigure: true },
        { title: 'Changed', cell: ({ updated }) => number(updated), isFigure: true },
        {
          title: 'Failed',
          cell: ({ id, failed }) =>
            failed === 0 ? (
              '0'
            ) : (
              <a href={fileAddress(org, `/v1/contacts/imports/${id}/errors`)} download>
                {counted(failed, 'row')}
              </a>
            ),
          isFigure: true,
        },
      ]}
    />
  )
}
