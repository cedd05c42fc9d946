import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { counted, moment } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Field } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Failure, Shown } from '../ui/states.tsx'
import { type BatchDraft, inputOf } from './batch-draft.ts'
import { Costs, LeftOut } from './preview.tsx'
import { usePreview } from './use-preview.ts'

/** From so many people on the number has to be typed. */
const MANY = 1_000

interface ReviewProps {
  draft: BatchDraft
  back: () => void
  /** Is called when the batch is made. */
  sent: () => void
}

/** Everything once more, in plain sentences; then the button says to how many it goes. */
export function Review({ draft, back, sent }: ReviewProps) {
  const answer = usePreview(draft)
  return (
    <Page
      title="Review"
      about="Read it once. What has left cannot be called back."
      above={
        <button type="button" className="link" onClick={back}>
          Back to writing
        </button>
      }
      isNarrow
    >
      <Shown answer={answer}>
        {(preview) => <Sentences draft={draft} preview={preview} sent={sent} />}
      </Shown>
    </Page>
  )
}

interface SentencesProps {
  draft: BatchDraft
  preview: Schemas['BatchPreview']
  sent: () => void
}

function Sentences({ draft, preview, sent }: SentencesProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { recipients, sample } = preview
  const people = counted(recipients, 'person', 'people')
  const isSure = recipients < MANY || typed.replaceAll(/\D/g, '') === String(recipients)
  const isLater = draft.when === 'later'
  const send = async (): Promise<void> => {
    if (!isSure) return
    setBusy(true)
    setError(undefined)
    try {
      const { id } = await client.post('/v1/batch', { body: inputOf(draft) })
      sent()
      await cache.invalidateQueries({ queryKey: [org, 'batches'] })
      await navigate({ to: '/$org/batches/$id', params: { org, id } })
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <>
      <Card>
        <div className="sentences">
          <p>
            <strong>{people}</strong> {recipients === 1 ? 'gets' : 'get'} the mail “
            {sample?.subject ?? draft.subject}”.
          </p>
          <p>
            It comes from{' '}
            <strong>
              {draft.fromName === '' ? draft.from : `${draft.fromName}, ${draft.from}`}
            </strong>
            {draft.replyTo === '' ? '.' : `; answers go to ${draft.replyTo}.`}
          </p>
          <p>
            {isLater
              ? `Sending starts ${moment(new Date(draft.at).toISOString())}; whoever joins or leaves the audience before counts.`
              : 'Sending starts as soon as you press the button.'}
          </p>
          <div>
            <LeftOut preview={preview} />
            <Costs preview={preview} />
          </div>
        </div>
      </Card>
      {recipients >= MANY ? (
        <Field
          label={`Type ${recipients} to send to so many`}
          name="typed"
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {error === undefined ? null : <Failure error={error} />}
      {recipients === 0 ? (
        <p>Nobody would get it. Go back and choose another audience.</p>
      ) : (
        <div className="row">
          <Button look="primary" isBusy={isBusy} onClick={() => void send()}>
            {isLater ? `Schedule for ${people}` : `Send to ${people}`}
          </Button>
          {isSure ? null : <span className="soft">Type the number first.</span>}
        </div>
      )}
      <details>
        <summary>The same as a call of the API</summary>
        <Copy isBlock text={curlOf(draft)} />
      </details>
    </>
  )
}

/** With a key of one's own in `KEY`; a quote within the text ends and begins the shell's. */
const curlOf = (draft: BatchDraft): string =>
  `curl -H "Authorization: Bearer $KEY" -H 'content-type: application/json' \\\n  -d '${JSON.stringify(inputOf(draft)).replaceAll("'", String.raw`'\''`)}' \\\n  ${location.origin}/v1/batch`
