import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { number } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { topicOf, TopicFields } from './topic-fields.tsx'

/** Each row asks for its counts. */
const PAGE = 20
const COUNTS_FRESH_MS = 60_000

type TopicSummary = Schemas['TopicSummary']

export function Topics() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const [isAdding, setAdding] = useState(false)
  const { cursor } = useSearch({ from: '/$org/topics' })
  const answer = useQuery({
    queryKey: [org, 'topics', 'list', cursor],
    queryFn: () =>
      client.get('/v1/topics', {
        params: { query: { limit: PAGE, ...presentParts({ cursor }) } },
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Topics"
      about="What people subscribe to: a newsletter, product news. A batch to a topic goes to its subscribers only, and its unsubscribe link leaves the topic."
      actions={
        mayWrite ? (
          <Button
            look="primary"
            data-new
            icon={<Plus aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            Add a topic
          </Button>
        ) : undefined
      }
    >
      <ListCard
        answer={answer}
        cursor={cursor}
        empty={
          <Empty title="No topics yet">
            Without topics everybody gets everything. With them people leave one, not all.
          </Empty>
        }
      >
        {(topics) => <TopicTable topics={topics} />}
      </ListCard>
      <AddTopic isOpen={isAdding} close={() => setAdding(false)} />
    </Page>
  )
}

function TopicTable({ topics }: { topics: readonly TopicSummary[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Topics, newest first"
      rows={topics}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Topic',
          cell: ({ id, name }) => (
            <Link to="/$org/topics/$id" params={{ org, id }}>
              {name}
            </Link>
          ),
        },
        { title: 'Subscribers', cell: ({ id }) => <Subscribers id={id} />, isFigure: true },
        { title: 'Who joins', cell: joiningWords },
        {
          title: 'On the preferences page',
          cell: ({ public: isPublic }) => (isPublic ? 'Shown' : 'Hidden'),
          isExtra: true,
        },
        { title: 'Slug', cell: ({ slug }) => <code>{slug}</code>, isExtra: true },
      ]}
    />
  )
}

const joiningWords = ({ doubleOptIn }: TopicSummary): string =>
  doubleOptIn ? 'Confirms by mail' : 'At once'

function Subscribers({ id }: { id: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const { data } = useQuery({
    queryKey: [org, 'topics', id],
    queryFn: () => client.get('/v1/topics/{id}', { params: { path: { id } } }),
    staleTime: COUNTS_FRESH_MS,
  })
  if (!data) return '…'
  return `${number(data.subscribedCount)}${data.countsAreExact ? '' : ' or more'}`
}

function AddTopic({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Dialog
      title="Add a topic"
      about="People see its name and what it is about on the page where they choose what they get."
      isOpen={isOpen}
      close={close}
    >
      <Form
        name="topic"
        action="Add the topic"
        done="The topic is added"
        submit={async (values) => {
          const { id } = await client.post('/v1/topics', { body: topicOf(values) })
          await cache.invalidateQueries({ queryKey: [org, 'topics'] })
          close()
          await navigate({ to: '/$org/topics/$id', params: { org, id } })
        }}
      >
        <TopicFields />
      </Form>
    </Dialog>
  )
}
