import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { MailChart } from './mail-chart.tsx'
import { Health } from './health.tsx'
import { NextSteps } from './next-steps.tsx'
import { Problems } from './problems.tsx'
import { Running } from './running.tsx'
import { Usage } from './usage.tsx'
import './overview.css'

const REFRESH_MS = 15_000

export function Overview() {
  return (
    <Page
      title="Overview"
      about="What is being sent now, how your accounts do, and what needs you."
    >
      <NextSteps />
      <Problems />
      <div className="columns halves">
        <Running />
        <Mails />
        <Health />
        <Usage />
      </div>
    </Page>
  )
}

function Mails() {
  const client = useClient()
  const org = useOrganizationId()
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const answer = useQuery({
    queryKey: [org, 'metrics', 'week', timeZone],
    queryFn: () =>
      client.get('/v1/email/metrics', {
        params: { query: { timezone: timeZone, granularity: 'daily', dimensions: 'period' } },
      }),
    refetchInterval: useRefresh<Schemas['EmailMetrics']>(REFRESH_MS),
  })
  return (
    <Card title="Mails of 7 days">
      <Shown answer={answer}>
        {(metrics) =>
          metrics.totals.sent === 0 ? (
            <Empty title="No mails yet">What you send shows here, day by day.</Empty>
          ) : (
            <MailChart metrics={metrics} />
          )
        }
      </Shown>
    </Card>
  )
}
