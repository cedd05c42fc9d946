import { Info, RotateCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain } from '../lib/explain.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import './states.css'

/** The shape of what is loading. It shows after 300 ms, so that quick answers do not flash. */
export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <div className="loading" role="status">
      <span className="read-aloud">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="loading-row" />
      ))}
    </div>
  )
}

interface EmptyProps {
  title: string
  children: ReactNode
  action?: ReactNode
}

/** Nothing is here yet: what the place is for, and one thing to do. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <p className="soft">{children}</p>
      {action}
    </div>
  )
}

/** What failed, whether anything was changed, and what to do. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const { title, text, requestId, canRetry } = explain(error)
  return (
    <div className="note bad" role="alert">
      <TriangleAlert aria-hidden="true" size={18} />
      <div className="stack close">
        <strong>{title}</strong>
        <p>{text}</p>
        {requestId === undefined ? null : (
          <p className="soft row">
            Request <Copy text={requestId} />
          </p>
        )}
        {canRetry && retry ? (
          <div>
            <Button icon={<RotateCw aria-hidden="true" />} onClick={() => void retry()}>
              Try again
            </Button>
          </div>
        ) : null}
      </div>
    </div>
  )
}

interface NoteProps {
  tone?: 'plain' | 'good' | 'careful' | 'bad'
  /** Comes while somebody does something else, and must be heard. */
  isAlert?: boolean
  children: ReactNode
}

export function Note({ tone = 'plain', isAlert = false, children }: NoteProps) {
  const Icon = tone === 'careful' || tone === 'bad' ? TriangleAlert : Info
  return (
    <div className={`note ${tone}`} role={isAlert ? 'alert' : undefined}>
      <Icon aria-hidden="true" size={18} />
      <div className="stack close">{children}</div>
    </div>
  )
}

export interface Answer<Data> {
  data: Data | undefined
  error: unknown
  isPending: boolean
  refetch: () => unknown
}

interface ShownProps<Data> {
  answer: Answer<Data>
  rows?: number
  children: (data: Data) => ReactNode
}

/** Loading, failed or there. What is there stays while a newer answer fails. */
export function Shown<Data>({ answer, rows, children }: ShownProps<Data>) {
  const { data, error, refetch } = answer
  if (data === undefined) {
    return error ? (
      <Failure error={error} retry={refetch} />
    ) : (
      <Loading {...(rows ? { rows } : {})} />
    )
  }
  return children(data)
}
