import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { Pager } from '../ui/pager.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Note, Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'

type AuditEvent = Schemas['AuditEvent']

const PAGE = 50

/** `api_key.created` → `Api key created`. */
const words = (action: string): string => {
  const text = action.replaceAll(/[._]/g, ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export function Audit() {
  const client = useClient()
  const org = useOrganizationId()
  const maySee = useMay('full')
  const { cursor } = useSearch({ from: '/$org/settings/audit' })
  const answer = useQuery({
    queryKey: [org, 'audit', cursor],
    queryFn: () =>
      client.get('/v1/audit-events', {
        params: { query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    placeholderData: keepPreviousData,
    enabled: maySee,
  })
  const members = useQuery({
    queryKey: [org, 'members'],
    queryFn: () => client.get('/v1/members', { params: { query: { limit: 100 } } }),
    enabled: maySee,
  })
  const names = new Map((members.data?.data ?? []).map(({ id, name }) => [id, name]))
  if (!maySee) {
    return (
      <Note>
        <p>Owners and admins see who did what.</p>
      </Note>
    )
  }
  return (
    <Card title="Who did what" isFlush>
      <Shown answer={answer}>
        {({ data, nextCursor }) =>
          data.length === 0 ? (
            <Empty title="Nothing yet">
              Sign-ins, keys, roles, exports, erasures and whom somebody resubscribed stand here.
            </Empty>
          ) : (
            <>
              <Table
                caption="Audit events, newest first"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'What', cell: ({ action }) => words(action) },
                  { title: 'When', cell: ({ createdAt }) => moment(createdAt) },
                  { title: 'Who', cell: (event) => actorOf(event, names) },
                  {
                    title: 'Of what',
                    cell: ({ subjectKind, subjectId }) =>
                      subjectKind === null ? (
                        ''
                      ) : (
                        <span className="row">
                          {subjectKind.replaceAll('_', ' ')}
                          {subjectId === null ? null : <Copy text={subjectId} />}
                        </span>
                      ),
                    isExtra: true,
                  },
                ]}
              />
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </Card>
  )
}

const KINDS: Record<AuditEvent['actorKind'], string> = {
  key: 'An API key',
  user: 'Somebody who has left',
  operator: 'Whoever runs this server',
  unknown: 'Not known',
}

const actorOf = ({ actorKind, actorId }: AuditEvent, names: ReadonlyMap<string, string>): string =>
  names.get(actorId ?? '') ?? KINDS[actorKind]
