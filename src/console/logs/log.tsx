import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { MailFrame } from '../ui/mail-frame.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { eventWord, missingWord, sourceWord } from './log-words.ts'
import './log.css'

type Detail = Schemas['EmailLogDetail']

/** One mail: what became of it as a line of time, and what it said. */
export function LogPage() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/logs/$id' })
  const answer = useQuery({
    queryKey: [org, 'logs', id],
    queryFn: () =>
      client.get('/v1/email/logs/{messageId}', { params: { path: { messageId: id } } }),
  })
  const log = answer.data
  return (
    <Page
      title={log?.subject ?? 'Mail'}
      about={log ? `To ${log.recipient ?? 'somebody who was erased'}` : undefined}
      above={
        <Link to="/$org/logs" params={{ org }}>
          Logs
        </Link>
      }
      actions={log ? <Status list="mail" value={log.status} /> : undefined}
    >
      <Shown answer={answer}>
        {(log) => (
          <>
            <div className="columns halves">
              <Story log={log} />
              <Facts log={log} />
            </div>
            <Content log={log} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Story({ log: { events, createdAt, error } }: { log: Detail }) {
  return (
    <Card title="What became of it">
      <ol className="story">
        <li>
          <strong>It was made</strong>
          <span className="soft">{moment(createdAt)}</span>
        </li>
        {events.map(({ type, occurredAt }, at) => (
          <li key={`${type} ${occurredAt} ${at}`}>
            <strong>{eventWord(type)}</strong>
            <span className="soft">{moment(occurredAt)}</span>
          </li>
        ))}
      </ol>
      {error === null ? null : (
        <Note tone="bad">
          <p>{error}</p>
        </Note>
      )}
    </Card>
  )
}

function Facts({ log }: { log: Detail }) {
  const org = useOrganizationId()
  const { from, sourceType, batchId, messageId, bounceType, bounceSubType, id } = log
  return (
    <Card title="The mail">
      <dl className="facts">
        <dt>From</dt>
        <dd>{from ?? '–'}</dd>
        <dt>Sent by</dt>
        <dd>
          {batchId === null ? (
            sourceWord(sourceType)
          ) : (
            <Link to="/$org/batches/$id" params={{ org, id: batchId }}>
              {sourceWord(sourceType)}
            </Link>
          )}
        </dd>
        {bounceType === null ? null : (
          <>
            <dt>Bounce</dt>
            <dd>{[bounceType, bounceSubType].filter((part) => part !== null).join(', ')}</dd>
          </>
        )}
        <dt>Our id</dt>
        <dd>
          <Copy text={id} />
        </dd>
        {messageId === null ? null : (
          <>
            <dt>Id at AWS</dt>
            <dd>
              <Copy text={messageId} />
            </dd>
          </>
        )}
      </dl>
    </Card>
  )
}

function Content({ log: { content, contentMissing } }: { log: Detail }) {
  return (
    <Card title="What it said">
      {content === null ? (
        <p className="soft">
          {contentMissing === null ? 'Nothing is known of it.' : missingWord(contentMissing)}
        </p>
      ) : (
        <div className="stack">
          {content.origin === 'rendered_again' ? (
            <p className="soft">
              Made again of the version that was sent, for the contact as it is now.
            </p>
          ) : null}
          {content.html === null ? (
            <pre className="plain-text">{content.text}</pre>
          ) : (
            <MailFrame html={content.html} title="The mail" isSent />
          )}
        </div>
      )}
    </Card>
  )
}
