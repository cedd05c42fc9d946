import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { counted, moment, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { batchPace } from '../lib/pace.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Page } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { BatchActions } from './batch-actions.tsx'
import { nameOf, sentenceOf, shownStatus } from './batch-words.ts'
import { Outcome } from './outcome.tsx'
import { Progress } from './progress.tsx'
import { Reasons } from './reasons.tsx'
import { Recipients } from './recipients.tsx'
import './batch.css'

type Batch = Schemas['Batch']

/** One batch as it is being sent, and who got it. */
export function BatchPage() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/batches/$id' })
  const answer = useQuery({
    queryKey: [org, 'batch', id],
    queryFn: () => client.get('/v1/batch/{id}', { params: { path: { id } } }),
    refetchInterval: useRefresh<Batch>((batch) =>
      batch === undefined ? false : batchPace(batch, Date.now()),
    ),
  })
  const batch = answer.data
  return (
    <Page
      title={batch ? nameOf(batch) : 'Batch'}
      about={batch ? sentenceOf(batch) : undefined}
      above={
        <Link to="/$org/batches" params={{ org }}>
          Batches
        </Link>
      }
      actions={batch ? <BatchActions batch={batch} /> : undefined}
    >
      <Shown answer={answer}>
        {(batch) => (
          <>
            <Waits batch={batch} />
            <Progress batch={batch} />
            <div className="columns halves">
              <Outcome batch={batch} />
              <Facts batch={batch} />
            </div>
            <Reasons batch={batch} />
            <Recipients batch={batch} />
          </>
        )}
      </Shown>
    </Page>
  )
}

/** What a batch waits for, if it does. */
function Waits({ batch }: { batch: Batch }) {
  const { waitingForQuota, waitingForOutcome, duplicates } = batch
  return (
    <>
      {waitingForQuota === null ? null : (
        <Note tone="careful">
          <strong>Waiting for the quota of the account</strong>
          <p>
            The account has sent what AWS allows in 24 hours. It goes on by itself; the next try is{' '}
            {moment(waitingForQuota.until)}.
          </p>
        </Note>
      )}
      {waitingForOutcome === null ? null : (
        <Note>
          <p>
            {number(waitingForOutcome.count)} in doubt: AWS may have taken them. Its events decide;
            nobody is mailed twice meanwhile.
          </p>
        </Note>
      )}
      {duplicates === 0 ? null : (
        <Note tone="careful">
          <p>AWS says that it accepted {number(duplicates)} of the mails a second time.</p>
        </Note>
      )}
    </>
  )
}

function Facts({ batch }: { batch: Batch }) {
  const { from, fromName, subject, scheduledFor, startedAt, completedAt } = batch
  return (
    <section className="card">
      <div className="card-head">
        <h2>What is sent</h2>
        <Status list="batch" value={shownStatus(batch)} />
      </div>
      <div className="card-body">
        <dl className="facts">
          <dt>Subject</dt>
          <dd>{subject}</dd>
          <dt>From</dt>
          <dd>{fromName === null ? from : `${fromName} <${from}>`}</dd>
          <dt>To</dt>
          <dd>
            <Audience batch={batch} />
          </dd>
          {scheduledFor === null ? null : (
            <>
              <dt>Planned for</dt>
              <dd>{moment(scheduledFor)}</dd>
            </>
          )}
          <dt>Started</dt>
          <dd>{startedAt === null ? 'Not yet' : moment(startedAt)}</dd>
          <dt>Ended</dt>
          <dd>{completedAt === null ? 'Not yet' : moment(completedAt)}</dd>
        </dl>
      </div>
    </section>
  )
}

/** To whom it goes, with the way to them. */
function Audience({ batch }: { batch: Batch }) {
  const client = useClient()
  const org = useOrganizationId()
  const { audience, topicId, segmentId } = batch
  const topic = useQuery({
    queryKey: [org, 'topics', topicId],
    queryFn: () => client.get('/v1/topics/{id}', { params: { path: { id: topicId ?? '' } } }),
    enabled: topicId !== null,
  })
  const segment = useQuery({
    queryKey: [org, 'segments', segmentId],
    queryFn: () => client.get('/v1/segments/{id}', { params: { path: { id: segmentId ?? '' } } }),
    enabled: segmentId !== null,
  })
  const ofTopic =
    topicId === null ? null : (
      <Link to="/$org/topics/$id" params={{ org, id: topicId }}>
        {topic.data?.name ?? 'its topic'}
      </Link>
    )
  const among = ofTopic === null ? null : <> who subscribe to {ofTopic}</>
  switch (audience.type) {
    case 'topic':
      return <>Subscribers of {ofTopic}</>
    case 'segment':
      return segmentId === null ? (
        <>A segment{among}</>
      ) : (
        <>
          <Link to="/$org/segments/$id" params={{ org, id: segmentId }}>
            {segment.data?.name ?? 'A segment'}
          </Link>
          {among}
        </>
      )
    case 'contacts':
      return (
        <>
          {counted(audience.contactCount ?? 0, 'chosen contact')}
          {among}
        </>
      )
    default:
      return <>Everybody who may be mailed{among}</>
  }
}
