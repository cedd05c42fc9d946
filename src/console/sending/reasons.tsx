import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { batchPace } from '../lib/pace.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Card } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { reasonWords } from './reason-words.ts'

/** Reading many of them costs more: they are asked for more seldom than the batch. */
const SELDOMER = 5

/** Who did not get it, in one line for each reason. Without anybody there is nothing here. */
export function Reasons({ batch }: { batch: Schemas['Batch'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const { id, failed, skipped, unknown } = batch
  const isNeeded = failed + skipped + unknown > 0
  const answer = useQuery({
    queryKey: [org, 'batch', id, 'reasons'],
    queryFn: () => client.get('/v1/batch/{id}/reasons', { params: { path: { id } } }),
    enabled: isNeeded,
    refetchInterval: useRefresh<Schemas['BatchReasonList']>(() => {
      const pace = batchPace(batch, Date.now())
      return pace === false ? false : pace * SELDOMER
    }),
  })
  if (!isNeeded) return null
  return (
    <Card title="Who did not get it" isFlush>
      <Shown answer={answer} rows={2}>
        {({ data }) => (
          <Table
            caption="Recipients who were not mailed, by the reason"
            rows={data}
            keyOf={({ status, reason }) => `${status} ${reason}`}
            columns={[
              { title: 'Reason', cell: ({ reason }) => reasonWords(reason) },
              { title: 'Status', cell: ({ status }) => <Status list="mail" value={status} /> },
              { title: 'People', cell: ({ count }) => number(count), isFigure: true },
              {
                title: 'Who they are',
                isUntitled: true,
                cell: ({ status, reason }) => (
                  <Link
                    to="/$org/batches/$id"
                    params={{ org, id }}
                    search={{ status, ...(reason === null ? {} : { reason }) }}
                    hash="recipients"
                  >
                    Show who<span className="read-aloud">: {reasonWords(reason)}</span>
                  </Link>
                ),
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}
