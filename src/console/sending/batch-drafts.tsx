import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ago } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Card } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'

const MOST_SHOWN = 100

/** Batches that somebody began to write; without any there is nothing here. */
export function BatchDrafts() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { data } = useQuery({
    queryKey: [org, 'batch-drafts'],
    queryFn: () => client.get('/v1/batch-drafts', { params: { query: { limit: MOST_SHOWN } } }),
  })
  const drafts = data?.data ?? []
  if (drafts.length === 0) return null
  const wordsOf = ({ name, subject }: (typeof drafts)[number]): string =>
    name ?? subject ?? 'Without a name or subject'
  return (
    <Card title="Drafts" isFlush>
      <Table
        caption="Drafts of batches, newest first"
        rows={drafts}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Draft',
            cell: (draft) => (
              <Link to="/$org/batches/new" params={{ org }} search={{ draft: draft.id }}>
                {wordsOf(draft)}
              </Link>
            ),
          },
          { title: 'Changed', cell: ({ updatedAt }) => ago(updatedAt) },
          {
            title: 'Actions',
            isUntitled: true,
            cell: (draft) => (
              <Confirm
                look="quiet"
                label="Delete"
                action="Delete the draft"
                title={`Delete the draft “${wordsOf(draft)}”?`}
                done="The draft is deleted"
                run={async () => {
                  await client.delete('/v1/batch-drafts/{id}', {
                    params: { path: { id: draft.id } },
                  })
                  await cache.invalidateQueries({ queryKey: [org, 'batch-drafts'] })
                }}
              >
                <p>Nothing was sent of it, and nothing will be. It cannot be brought back.</p>
              </Confirm>
            ),
          },
        ]}
      />
    </Card>
  )
}
