import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { ago, number } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useHasSegments } from '../lib/plan.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Filters, Search } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'

const PAGE = 50

type Segment = Schemas['Segment']

export function Segments() {
  const org = useOrganizationId()
  const mayWrite = useMay('segments')
  const hasSegments = useHasSegments()
  return (
    <Page
      title="Segments"
      about="A segment is everybody who is like this now: who joins the description joins it, and who does not fit any more leaves."
      actions={
        mayWrite && hasSegments === true ? (
          <ButtonLink
            look="primary"
            to="/$org/segments/new"
            params={{ org }}
            icon={<Plus aria-hidden="true" />}
          >
            New segment
          </ButtonLink>
        ) : undefined
      }
    >
      {hasSegments === false ? (
        <Card>
          <Empty title="Your plan has no segments">
            All paid plans have them. Topics are on every plan: people choose those themselves.
          </Empty>
        </Card>
      ) : hasSegments === true ? (
        <SegmentList />
      ) : null}
    </Page>
  )
}

function SegmentList() {
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const { cursor, search } = useSearch({ from: '/$org/segments' })
  const offset = Number(cursor ?? 0)
  const answer = useQuery({
    queryKey: [org, 'segments', 'list', offset, search],
    queryFn: () =>
      client.get('/v1/segments', {
        params: { query: { limit: PAGE, offset, ...presentParts({ search }) } },
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Filters>
        <Search
          label="Search names"
          value={search}
          change={(text) =>
            void navigate({
              to: '/$org/segments',
              params: { org },
              search: presentParts({ search: text }),
            })
          }
        />
      </Filters>
      <Card isFlush>
        <Shown answer={answer}>
          {({ segments, total }) =>
            segments.length === 0 ? (
              search === undefined ? (
                <Empty title="No segments yet">
                  Describe whom you mean, and see beside it how many people that is.
                </Empty>
              ) : (
                <Empty title="No segment is called so">Drop the search to see all.</Empty>
              )
            ) : (
              <>
                <SegmentTable segments={segments} />
                <Pager
                  cursor={cursor}
                  nextCursor={offset + PAGE < total ? String(offset + PAGE) : null}
                />
              </>
            )
          }
        </Shown>
      </Card>
    </>
  )
}

function SegmentTable({ segments }: { segments: readonly Segment[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Segments, newest first"
      rows={segments}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Segment',
          cell: ({ id, name }) => (
            <Link to="/$org/segments/$id" params={{ org, id }}>
              {name}
            </Link>
          ),
        },
        { title: 'People', cell: membersOf, isFigure: true },
        { title: 'Who', cell: ({ sentence }) => sentence },
        {
          title: 'State',
          cell: ({ problem }) => (problem === null ? '' : <Mark tone="careful">Needs a look</Mark>),
        },
        {
          title: 'Counted',
          cell: ({ countedAt }) => (countedAt === null ? '' : ago(countedAt)),
          isExtra: true,
        },
      ]}
    />
  )
}

export function membersOf({
  memberCount,
  memberCountIsExact,
}: Pick<Segment, 'memberCount' | 'memberCountIsExact'>): string {
  if (memberCount === null) return 'Not counted'
  return `${memberCountIsExact === false ? 'about ' : ''}${number(memberCount)}`
}
