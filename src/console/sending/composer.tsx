import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useHasSegments } from '../lib/plan.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Select, TextArea } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Failure, Loading, Note } from '../ui/states.tsx'
import { type BatchDraft, missingOf } from './batch-draft.ts'
import { Preview } from './preview.tsx'
import { Review } from './review.tsx'
import { senderAddress, useVerifiedSenders } from './senders.ts'
import { type DraftState, useBatchDraft } from './use-batch-draft.ts'
import './composer.css'

const DRAFT_WORDS: Record<DraftState, string> = {
  new: '',
  changed: 'Storing the draft …',
  stored: 'The draft is stored.',
  failed: 'The draft is in this tab only.',
  stale: 'Not stored.',
  loading: '',
  lost: '',
  foreign: '',
}

/** Four parts on one page: who, what, from whom, when. Beside them: what would happen. */
export function Composer() {
  const org = useOrganizationId()
  const { draft: draftId } = useSearch({ from: '/$org/batches/new' })
  const writing = useBatchDraft(draftId)
  const { draft, change, state, error } = writing
  const [isReviewing, setReviewing] = useState(false)
  const missing = missingOf(draft)
  const above = (
    <Link to="/$org/batches" params={{ org }}>
      Batches
    </Link>
  )

  if (state === 'loading' || state === 'lost' || state === 'foreign') {
    return (
      <Page title="Draft of a batch" above={above}>
        {state === 'loading' ? (
          <Loading rows={8} />
        ) : state === 'lost' ? (
          <Failure error={error} retry={writing.loadAgain} />
        ) : (
          <Note tone="careful">
            <strong>A program wrote this draft</strong>
            <p>
              It has parts that this page has no field for: {writing.foreignParts.join(', ')}. They
              would be lost here. The program itself can send it or change it.
            </p>
          </Note>
        )}
      </Page>
    )
  }
  if (isReviewing) {
    return <Review draft={draft} back={() => setReviewing(false)} sent={writing.sent} />
  }
  return (
    <Page
      title="New batch"
      about={
        <>
          Nothing leaves before you have seen what will be sent, and to how many people.{' '}
          <span role="status">{DRAFT_WORDS[state]}</span>
        </>
      }
      above={above}
    >
      {state === 'stale' ? (
        <Note tone="careful" isAlert>
          <strong>Somebody else has changed this draft while you wrote</strong>
          <p>Nothing of yours is lost: it is on this page. Choose which text goes on.</p>
          <div className="row">
            <Button onClick={() => void writing.keepMine()}>Keep mine</Button>
            <Button onClick={() => void writing.takeTheirs()}>Show theirs</Button>
          </div>
        </Note>
      ) : state === 'failed' ? (
        <Failure error={error} retry={writing.storeAgain} />
      ) : null}
      <div className="composer">
        <div className="stack">
          <Who draft={draft} change={change} />
          <What draft={draft} change={change} />
          <FromWhom draft={draft} change={change} />
          <When draft={draft} change={change} />
          <div className="row">
            <Button
              look="primary"
              onClick={() => {
                const [first] = missing
                if (first) document.getElementsByName(first.field)[0]?.focus()
                else setReviewing(true)
              }}
            >
              Review
            </Button>
            <span className="soft" role="status">
              {missing.length === 0
                ? 'Next: everything in plain sentences.'
                : `Still to do: ${missing[0]?.words}.`}
            </span>
          </div>
        </div>
        <Preview draft={draft} />
      </div>
    </Page>
  )
}

interface PartProps {
  draft: BatchDraft
  change: (part: Partial<BatchDraft>) => void
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card title={title}>
    <div className="stack">{children}</div>
  </Card>
)

function Who({ draft, change }: PartProps) {
  const client = useClient()
  const org = useOrganizationId()
  const topics = useQuery({
    queryKey: [org, 'topics'],
    queryFn: () => client.get('/v1/topics', { params: { query: { limit: 100 } } }),
  })
  const hasSegments = useHasSegments() === true
  const segments = useQuery({
    queryKey: [org, 'segments'],
    queryFn: () => client.get('/v1/segments', { params: { query: { limit: 100 } } }),
    enabled: hasSegments,
  })
  return (
    <Part title="1. Who gets it">
      <Select
        label="Audience"
        name="audience"
        value={draft.audience}
        onChange={(event) =>
          change({ audience: event.currentTarget.value === 'segment' ? 'segment' : 'all' })
        }
      >
        <option value="all">Everybody who may be mailed</option>
        {hasSegments ? <option value="segment">A segment</option> : null}
      </Select>
      {draft.audience === 'segment' ? (
        <Select
          label="Segment"
          name="segmentId"
          value={draft.segmentId}
          onChange={(event) => change({ segmentId: event.currentTarget.value })}
        >
          <option value="">Choose …</option>
          {(segments.data?.segments ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      ) : null}
      <Select
        label="Topic"
        name="topicId"
        hint="Of the audience only its subscribers get it, and the unsubscribe link leaves the topic."
        isOptional
        value={draft.topicId}
        onChange={(event) => change({ topicId: event.currentTarget.value })}
      >
        <option value="">No topic</option>
        {(topics.data?.data ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Part>
  )
}

function What({ draft, change }: PartProps) {
  const client = useClient()
  const org = useOrganizationId()
  const templates = useQuery({
    queryKey: [org, 'templates'],
    queryFn: () => client.get('/v1/templates', { params: { query: { limit: 100 } } }),
  })
  const isTemplate = draft.content === 'template'
  return (
    <Part title="2. What it says">
      <Select
        label="Content"
        name="content"
        value={draft.content}
        onChange={(event) =>
          change({ content: event.currentTarget.value === 'template' ? 'template' : 'write' })
        }
      >
        <option value="write">Written here</option>
        <option value="template">A published template</option>
      </Select>
      {isTemplate ? (
        <Select
          label="Template"
          name="templateId"
          value={draft.templateId}
          onChange={(event) => change({ templateId: event.currentTarget.value })}
        >
          <option value="">Choose …</option>
          {(templates.data?.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      ) : null}
      <Field
        label="Subject"
        name="subject"
        hint={isTemplate ? 'Empty: that of the template.' : undefined}
        isOptional={isTemplate}
        value={draft.subject}
        maxLength={998}
        onChange={(event) => change({ subject: event.currentTarget.value })}
      />
      {isTemplate ? null : (
        <>
          <Field
            label="Preview text"
            name="previewText"
            hint="Stands beside the subject in most inboxes."
            isOptional
            value={draft.previewText}
            maxLength={500}
            onChange={(event) => change({ previewText: event.currentTarget.value })}
          />
          <TextArea
            label="Mail"
            name="html"
            hint="HTML with Liquid. A link to unsubscribe is added if there is none."
            value={draft.html}
            rows={10}
            spellCheck={false}
            className="input code"
            onChange={(event) => change({ html: event.currentTarget.value })}
          />
        </>
      )}
      <Field
        label="Name of the batch"
        name="name"
        hint="For you: nobody else sees it."
        isOptional
        value={draft.name}
        maxLength={200}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
    </Part>
  )
}

function FromWhom({ draft, change }: PartProps) {
  const verified = useVerifiedSenders() ?? []
  const ofAccount = verified.filter(
    ({ cloudAccountId }) => draft.cloudAccountId === '' || cloudAccountId === draft.cloudAccountId,
  )
  const addresses = [...new Set(ofAccount.map(({ identity }) => senderAddress(identity)))]
  const [first] = verified
  const isFresh = draft.from === '' && draft.cloudAccountId === ''
  useEffect(() => {
    if (!isFresh || first === undefined) return
    change({ from: senderAddress(first.identity), cloudAccountId: first.cloudAccountId })
    // Only a sender that nobody has chosen is filled in, once the accounts have answered.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [first?.identity])
  return (
    <Part title="3. From whom">
      <AccountChoice draft={draft} change={change} />
      <Field
        label="Address"
        name="from"
        type="email"
        list="senders"
        hint={
          ofAccount.length === 0
            ? 'The account has no verified sender yet: see Accounts.'
            : `Of a verified sender: ${ofAccount.map(({ identity }) => identity).join(', ')}`
        }
        value={draft.from}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <datalist id="senders">
        {addresses.map((address) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </datalist>
      <Field
        label="Name"
        name="fromName"
        isOptional
        value={draft.fromName}
        onChange={(event) => change({ fromName: event.currentTarget.value })}
      />
      <Field
        label="Answers go to"
        name="replyTo"
        type="email"
        hint="Empty: to the address above."
        isOptional
        value={draft.replyTo}
        onChange={(event) => change({ replyTo: event.currentTarget.value })}
      />
    </Part>
  )
}

/** Which account mails leave through, where there are several. */
function AccountChoice({ draft, change }: PartProps) {
  const client = useClient()
  const org = useOrganizationId()
  const { data } = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
  })
  const accounts = (data?.connections ?? []).filter(({ disconnectedAt }) => disconnectedAt === null)
  if (accounts.length < 2) return null
  return (
    <Select
      label="Account"
      name="cloudAccountId"
      hint="The AWS account that the mails leave through."
      value={draft.cloudAccountId}
      onChange={(event) => change({ cloudAccountId: event.currentTarget.value })}
    >
      <option value="">Choose …</option>
      {accounts.map(({ id, name, accountId, region }) => (
        <option key={id} value={id}>
          {name ?? accountId}, {region}
        </option>
      ))}
    </Select>
  )
}

function When({ draft, change }: PartProps) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return (
    <Part title="4. When">
      <Select
        label="Start"
        name="when"
        value={draft.when}
        onChange={(event) =>
          change({ when: event.currentTarget.value === 'later' ? 'later' : 'now' })
        }
      >
        <option value="now">As soon as you send it</option>
        <option value="later">At a time</option>
      </Select>
      {draft.when === 'later' ? (
        <Field
          label="Time"
          name="at"
          type="datetime-local"
          hint={`In your time zone, ${timeZone}.`}
          value={draft.at}
          onChange={(event) => change({ at: event.currentTarget.value })}
        />
      ) : null}
    </Part>
  )
}
