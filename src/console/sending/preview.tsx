import type { Schemas } from '../../client/index.ts'
import { counted, duration, number } from '../lib/format.ts'
import { explain } from '../lib/explain.ts'
import { MailFrame } from '../ui/mail-frame.tsx'
import { Card } from '../ui/page.tsx'
import { Loading, Note } from '../ui/states.tsx'
import { type BatchDraft, missingOf } from './batch-draft.ts'
import { reasonWords } from './reason-words.ts'
import { usePreview } from './use-preview.ts'

type BatchPreview = Schemas['BatchPreview']

/** Beside the composer: whom it would mail, what that looks like, takes and costs. */
export function Preview({ draft }: { draft: BatchDraft }) {
  const { data, error } = usePreview(draft)
  const missing = missingOf(draft)
  return (
    <div className="composer-side">
      <Card title="What would happen">
        {missing.length > 0 ? (
          <ul className="stack close soft">
            {missing.map(({ field, words }) => (
              <li key={field}>{words}.</li>
            ))}
          </ul>
        ) : error ? (
          <Refused error={error} />
        ) : data ? (
          <Told preview={data} />
        ) : (
          <Loading />
        )}
      </Card>
    </div>
  )
}

function Refused({ error }: { error: unknown }) {
  const { title, text } = explain(error)
  return (
    <Note tone="careful">
      <strong>{title}</strong>
      <p>{text}</p>
    </Note>
  )
}

function Told({ preview }: { preview: BatchPreview }) {
  const { recipients, sample, checks } = preview
  return (
    <div className="stack">
      <p>
        <span className="big-figure">{number(recipients)}</span>{' '}
        <span className="soft">{recipients === 1 ? 'person gets it' : 'people get it'}</span>
      </p>
      <LeftOut preview={preview} />
      <Costs preview={preview} />
      <Checks checks={checks} />
      {sample === null ? null : (
        <>
          <p className="soft">
            As {sample.email ?? 'the newest of them'} gets it: <strong>{sample.subject}</strong>
          </p>
          {sample.problem === null ? (
            <MailFrame html={sample.html ?? ''} title="The mail" />
          ) : (
            <Note tone="bad">
              <p>{sample.problem.message}</p>
            </Note>
          )}
        </>
      )}
    </div>
  )
}

export function LeftOut({ preview: { skipped } }: { preview: BatchPreview }) {
  if (skipped.length === 0) return null
  return (
    <p className="soft">
      Left out:{' '}
      {skipped
        .map(({ reason, count }) => `${number(count)} (${reasonWords(reason).toLowerCase()})`)
        .join(', ')}
    </p>
  )
}

export function Costs({ preview: { estimate, cost } }: { preview: BatchPreview }) {
  const seconds = estimate?.durationSeconds ?? null
  return (
    <p className="soft">
      {seconds === null
        ? 'How long it takes is not known until the account has been asked.'
        : `Takes about ${duration(Math.max(1, seconds))}.`}{' '}
      {cost.usd === null ? '' : `AWS charges about $${cost.usd.toFixed(2)}.`}
    </p>
  )
}

function Checks({ checks }: { checks: BatchPreview['checks'] }) {
  if (checks.length === 0) return null
  return (
    <details open={checks.length < 4}>
      <summary>{counted(checks.length, 'thing')} to look at in the mail</summary>
      <ul className="stack close">
        {checks.map(({ code, message, severity }) => (
          <li key={`${code} ${message}`}>
            <Note tone={severity === 'warning' ? 'careful' : 'plain'}>
              <p>{message}</p>
            </Note>
          </li>
        ))}
      </ul>
    </details>
  )
}
