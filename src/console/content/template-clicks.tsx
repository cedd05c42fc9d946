import { useQuery } from '@tanstack/react-query'
import { number } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'

const MOST_SHOWN = 20

/** Which links people clicked, in all mails of the template. */
export function TemplateClicks({ id }: { id: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'template-clicks', id],
    queryFn: () =>
      client.get('/v1/templates/{id}/clicks', {
        params: { path: { id }, query: { limit: MOST_SHOWN } },
      }),
  })
  return (
    <Card title="Clicks by link" isFlush>
      <Shown answer={answer} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No clicks yet">Links that people click in its mails stand here.</Empty>
          ) : (
            <Table
              caption="Links of the template, most clicked first"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Link', cell: ({ url }) => url ?? 'All other links' },
                { title: 'Clicks', cell: ({ clicks }) => number(clicks), isFigure: true },
                { title: 'Mails', cell: ({ recipients }) => number(recipients), isFigure: true },
              ]}
            />
          )
        }
      </Shown>
    </Card>
  )
}
