import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Card } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { differencesOf } from './flow-differences.ts'
import { draftOf } from './flow-draft.ts'

const MOST_SHOWN = 20

type Workflow = Schemas['Workflow']

/** Each change made a version; what changed is said in words. */
export function WorkflowVersions({ workflow: { id, version } }: { workflow: Workflow }) {
  const client = useClient()
  const org = useOrganizationId()
  const [open, setOpen] = useState<number>()
  const answer = useQuery({
    queryKey: [org, 'workflows', 'versions', id, version],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}/versions', {
        params: { path: { workflowId: id }, query: { limit: MOST_SHOWN } },
      }),
  })
  return (
    <Card title="Versions" isFlush>
      <Shown answer={answer} rows={2}>
        {({ data }) => (
          <Table
            caption="Versions of the workflow, newest first"
            rows={data}
            keyOf={(each) => String(each.version)}
            columns={[
              { title: 'Version', cell: (each) => `Version ${each.version}` },
              { title: 'Made', cell: ({ createdAt }) => moment(createdAt) },
              {
                title: 'What changed',
                cell: (each) =>
                  each.version === 1 ? (
                    'The first one'
                  ) : open === each.version ? (
                    <Differences id={id} version={each.version} />
                  ) : (
                    <button type="button" className="link" onClick={() => setOpen(each.version)}>
                      Show what changed
                      <span className="read-aloud"> in version {each.version}</span>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}

function Differences({ id, version }: { id: string; version: number }) {
  const before = useVersion(id, version - 1)
  const after = useVersion(id, version)
  return (
    <Shown answer={before} rows={1}>
      {(old) => (
        <Shown answer={after} rows={1}>
          {(changed) => (
            <ul>
              {differencesOf(draftOf(old), draftOf(changed)).map((difference) => (
                <li key={difference}>{difference}</li>
              ))}
            </ul>
          )}
        </Shown>
      )}
    </Shown>
  )
}

function useVersion(id: string, version: number) {
  const client = useClient()
  const org = useOrganizationId()
  return useQuery({
    queryKey: [org, 'workflows', 'version', id, version],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}', {
        params: { path: { workflowId: id }, query: { version } },
      }),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}
