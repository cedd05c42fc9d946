import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { readFile, saveFile } from '../lib/api.ts'
import { dollars, number, share } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { isSource, sourceWord } from '../logs/log-words.ts'
import { Button } from '../ui/button.tsx'
import { Filters, FilterSelect } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Failure, Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { FigureChart } from './figure-chart.tsx'
import {
  firstDay,
  type Grouping,
  GROUPING_CHOICES,
  isGrouping,
  isRange,
  RANGE_CHOICES,
  rangeOf,
} from './metrics-query.ts'
import { periodsOf, periodWords } from './periods.ts'

type EmailMetrics = Schemas['EmailMetrics']
type MetricsRow = Schemas['MetricsRow']

/** What became of mails over a range, as charts of one figure each and as a table. */
export function Metrics() {
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const { range, by, zone } = useSearch({ from: '/$org/metrics' })
  const local = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const timezone = zone === 'utc' ? 'UTC' : local
  const [openedAt] = useState(Date.now)
  const { days, granularity } = rangeOf(range)
  const query = {
    start_date: firstDay(days, timezone, openedAt),
    timezone,
    granularity,
    dimensions: by ?? 'period',
  }
  const answer = useQuery({
    queryKey: [org, 'metrics', query],
    queryFn: () => client.get('/v1/email/metrics', { params: { query } }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: { range?: string; by?: string; zone?: string }): void => {
    const next = { range, by, zone, ...change }
    void navigate({
      to: '/$org/metrics',
      params: { org },
      search: presentParts({
        range: isRange(next.range) ? next.range : undefined,
        by: isGrouping(next.by) ? next.by : undefined,
        zone: next.zone === 'utc' ? ('utc' as const) : undefined,
      }),
    })
  }
  return (
    <Page
      title="Metrics"
      about="What became of your mail. A mail counts on the day it was sent, whenever it was delivered or opened."
      actions={<CsvButton query={query} />}
    >
      <Filters>
        <FilterSelect
          label="Range"
          value={range ?? '7'}
          change={(chosen) => filter({ range: chosen })}
          choices={RANGE_CHOICES}
        />
        <FilterSelect
          label="Grouping"
          value={by}
          change={(chosen) => filter({ by: chosen })}
          choices={GROUPING_CHOICES}
          all="Over time"
        />
        <FilterSelect
          label="Time zone"
          value={zone}
          change={(chosen) => filter({ zone: chosen })}
          choices={[{ value: 'utc', label: 'UTC' }]}
          all={local}
        />
      </Filters>
      <Shown answer={answer}>
        {(metrics) =>
          metrics.totals.sent === 0 && metrics.data.length === 0 ? (
            <Card>
              <Empty title="No mails in this range">
                Choose a longer range, or send something.
              </Empty>
            </Card>
          ) : by === undefined ? (
            <OverTime metrics={metrics} />
          ) : (
            <ByGroup metrics={metrics} by={by} />
          )
        }
      </Shown>
    </Page>
  )
}

function CsvButton({ query }: { query: Record<string, string> }) {
  const org = useOrganizationId()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const path = `/v1/email/metrics?${new URLSearchParams(query).toString()}`
      saveFile(await readFile(org, path, 'text/csv'), 'metrics.csv')
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button isBusy={isBusy} icon={<Download aria-hidden="true" />} onClick={() => void save()}>
        As CSV
      </Button>
      {error === undefined ? null : <Failure error={error} />}
    </>
  )
}

type FigureName =
  | 'sent'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'bounced'
  | 'complained'
  | 'unsubscribed'

const FIGURES: readonly { figure: FigureName; name: string }[] = [
  { figure: 'sent', name: 'Sent' },
  { figure: 'delivered', name: 'Delivered' },
  { figure: 'opened', name: 'Opened by people' },
  { figure: 'clicked', name: 'Clicked' },
  { figure: 'bounced', name: 'Bounced' },
  { figure: 'complained', name: 'Complained' },
  { figure: 'unsubscribed', name: 'Unsubscribed' },
]

function OverTime({ metrics }: { metrics: EmailMetrics }) {
  const { data, totals, meta } = metrics
  const byPeriod = new Map(data.map((row) => [row.period, row]))
  const periods = periodsOf(meta).map((period) => ({
    period: periodWords(period, meta.granularity),
    row: byPeriod.get(period),
  }))
  return (
    <>
      <div className="figure-cards">
        {FIGURES.map(({ figure, name }) => (
          <FigureChart
            key={figure}
            name={name}
            total={number(totals[figure])}
            {...(figure === 'sent'
              ? { about: costOf(totals.costUsd) }
              : { about: `${share(totals[figure], totals.sent)} of those sent` })}
            points={periods.map(({ period, row }) => ({ period, value: row?.[figure] ?? 0 }))}
            words={number}
          />
        ))}
      </div>
      <Card title="The same as a table" isFlush>
        <FigureTable
          caption="Mails by period, oldest first"
          title="Period"
          rows={periods.map(({ period, row }) => ({ key: period, name: period, row }))}
        />
      </Card>
    </>
  )
}

const costOf = (usd: number | null): string =>
  usd === null ? 'cost not known' : `about ${dollars(usd)}`

function ByGroup({ metrics: { data }, by }: { metrics: EmailMetrics; by: Grouping }) {
  const nameOf = useGroupNames(by)
  const rows = data.toSorted((a, b) => b.sent - a.sent)
  return (
    <Card isFlush>
      <FigureTable
        caption="Mails by group, most mails first"
        title={TITLES[by]}
        rows={rows.map((row) => ({ key: keyOf(row, by) ?? '', name: nameOf(row), row }))}
      />
    </Card>
  )
}

const TITLES: Record<Grouping, string> = {
  domain: 'Domain',
  broadcast: 'Batch',
  template: 'Template',
  source: 'Sent by',
  account: 'Account',
}

function keyOf(row: MetricsRow, by: Grouping): string | null | undefined {
  const { domain, broadcastId, templateId, source, cloudAccountId } = row
  const keys = {
    domain,
    broadcast: broadcastId,
    template: templateId,
    source,
    account: cloudAccountId,
  }
  return keys[by]
}

/** Names come from the newest page of their list: what is older shows its id, as a link. */
const NEWEST = 100

/** Returns what a row is called and where its link leads. */
function useGroupNames(by: Grouping): (row: MetricsRow) => ReactNode {
  const client = useClient()
  const org = useOrganizationId()
  const batches = useQuery({
    queryKey: [org, 'batches', 'names'],
    queryFn: () => client.get('/v1/batch', { params: { query: { pageSize: NEWEST } } }),
    enabled: by === 'broadcast',
  })
  const templates = useQuery({
    queryKey: [org, 'templates'],
    queryFn: () => client.get('/v1/templates', { params: { query: { limit: NEWEST } } }),
    enabled: by === 'template',
  })
  const accounts = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
    enabled: by === 'account',
  })
  return ({ domain, broadcastId: batchId, templateId, source, cloudAccountId }) => {
    switch (by) {
      case 'domain':
        return domain ?? 'Not known'
      case 'source':
        return isSource(source) ? sourceWord(source) : (source ?? 'Not known')
      case 'broadcast': {
        if (batchId == null) return 'No batch'
        const batch = batches.data?.data.find(({ id }) => id === batchId)
        return (
          <Link to="/$org/batches/$id" params={{ org, id: batchId }}>
            {batch ? (batch.name ?? batch.subject) : <code>{batchId}</code>}
          </Link>
        )
      }
      case 'template': {
        if (templateId == null) return 'No template'
        const template = templates.data?.data.find(({ id }) => id === templateId)
        return (
          <Link to="/$org/templates/$id" params={{ org, id: templateId }}>
            {template ? template.name : <code>{templateId}</code>}
          </Link>
        )
      }
      case 'account': {
        const account = accounts.data?.connections.find(({ id }) => id === cloudAccountId)
        return account ? (
          `${account.name ?? account.accountId}, ${account.region}`
        ) : (
          <code>{cloudAccountId}</code>
        )
      }
    }
  }
}

interface FigureRow {
  key: string
  name: ReactNode
  row: MetricsRow | undefined
}

interface FigureTableProps {
  caption: string
  title: string
  rows: readonly FigureRow[]
}

function FigureTable({ caption, title, rows }: FigureTableProps) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { title, cell: ({ name }) => name },
        ...FIGURES.map(({ figure, name }) => ({
          title: name,
          cell: ({ row }: FigureRow) => number(row?.[figure] ?? 0),
          isFigure: true,
          isExtra: figure === 'unsubscribed' || figure === 'complained',
        })),
        {
          title: 'Cost',
          cell: ({ row }) => {
            const usd = row ? row.costUsd : 0
            return usd === null ? '–' : dollars(usd)
          },
          isFigure: true,
          isExtra: true,
        },
      ]}
    />
  )
}
