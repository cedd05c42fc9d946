import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { counted } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { BatchBar } from '../sending/batch-bar.tsx'
import { nameOf, sentenceOf, shownStatus } from '../sending/batch-words.ts'
import { Card } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'

const REFRESH_MS = 15_000
const MOST_SHOWN = 5

/** Batches that are sent now or will be. */
export function Running() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'batches', 'running'],
    queryFn: () =>
      client.get('/v1/batch', {
        params: { query: { status: 'queued,scheduled,processing', pageSize: MOST_SHOWN } },
      }),
    refetchInterval: useRefresh<Schemas['BatchList']>(REFRESH_MS),
  })
  return (
    <Card title="Running now">
      <Shown answer={answer}>
        {({ data, total }) =>
          data.length === 0 ? (
            <Empty title="Nothing is being sent">
              A batch that is being sent, or will be, shows here with its progress.
            </Empty>
          ) : (
            <>
              <ul className="lines">
                {data.map((batch) => (
                  <li key={batch.id}>
                    <div className="row between">
                      <Link to="/$org/batches/$id" params={{ org, id: batch.id }}>
                        {nameOf(batch)}
                      </Link>
                      <Status list="batch" value={shownStatus(batch)} />
                    </div>
                    <BatchBar batch={batch} />
                    <p className="soft">{sentenceOf(batch)}</p>
                  </li>
                ))}
              </ul>
              {total > data.length ? (
                <p className="soft">
                  and {counted(total - data.length, 'more batch', 'more batches')}
                </p>
              ) : null}
            </>
          )
        }
      </Shown>
    </Card>
  )
}
