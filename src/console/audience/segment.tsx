import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import type { Schemas } from '../../client/index.ts'
import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import { nameOf } from '../contacts/contacts.tsx'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'
import { counted, moment, number } from '../lib/format.ts'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId, useSession } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Field, TextArea } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Failure, Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'
import { ConditionBuilder } from './condition-builder.tsx'
import { conditionOf, type ConditionRows, EMPTY_ROWS, rowsOf } from './condition-rows.ts'
import { SegmentPreview } from './segment-preview.tsx'
import { membersOf } from './segments.tsx'
import { readCondition, writeCondition } from './wire-condition.ts'
import './segment.css'

const PAGE = 50

type Segment = Schemas['Segment']

/** Writing a segment that is not there yet. */
export const NewSegment = () => <SegmentEditor segment={undefined} />

/** One segment: whom it means, and who that is now. */
export function SegmentPage() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/segments/$id' })
  const answer = useQuery({
    queryKey: [org, 'segments', 'one', id],
    queryFn: () => client.get('/v1/segments/{id}', { params: { path: { id } } }),
    // What somebody writes must not be replaced under their hands.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (answer.data) return <SegmentEditor key={answer.data.id} segment={answer.data} />
  return (
    <Page title="Segment" above={<ToSegments />}>
      <Shown answer={answer}>{() => null}</Shown>
    </Page>
  )
}

function ToSegments() {
  const org = useOrganizationId()
  return (
    <Link to="/$org/segments" params={{ org }}>
      Segments
    </Link>
  )
}

interface Draft {
  name: string
  description: string
  rows: ConditionRows
}

const draftOf = (segment: Segment | undefined): Draft => ({
  name: segment?.name ?? '',
  description: segment?.description ?? '',
  rows: rowsOfStored(segment?.condition),
})

function rowsOfStored(stored: unknown): ConditionRows {
  const condition = readCondition(stored)
  return condition ? rowsOf(condition) : EMPTY_ROWS
}

/** What was typed and not saved, if it is of this version of the segment. */
function useDraft(segment: Segment | undefined) {
  const org = useOrganizationId()
  const { user } = useSession()
  const owner = `${user.id}:${org}`
  const form = `segment-${segment?.id ?? 'new'}-${segment?.updatedAt ?? ''}`
  const [draft, setDraft] = useState<Draft>(() => {
    const { name, description, condition } = readDraft(owner, form)
    const typed = condition === undefined ? undefined : parse(condition)
    return typed === undefined
      ? draftOf(segment)
      : { name: name ?? '', description: description ?? '', rows: typed }
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(segment))
  useEffect(() => {
    if (!isChanged) return
    const { name, description, rows } = draft
    keepDraft(owner, form, { name, description, condition: JSON.stringify(conditionOf(rows)) })
  }, [owner, form, draft, isChanged])
  return { draft, setDraft, isChanged, drop: () => dropDraft(owner, form) }
}

function parse(text: string): ConditionRows | undefined {
  try {
    return rowsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

function SegmentEditor({ segment }: { segment: Segment | undefined }) {
  const mayWrite = useMay('segments')
  const { draft, setDraft, isChanged, drop } = useDraft(segment)
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }))
  const condition = conditionOf(draft.rows)
  const problems = Object.fromEntries(
    checkCondition(condition, 'condition', IN_SEGMENTS).map(({ path, message }) => [path, message]),
  )
  return (
    <Page
      title={segment ? segment.name : 'New segment'}
      about={
        segment
          ? `${membersOf(segment)} people. ${segment.sentence}`
          : 'Describe whom you mean. Beside it you see who that is, before anything is saved.'
      }
      above={<ToSegments />}
      actions={segment && mayWrite ? <DeleteSegment segment={segment} /> : undefined}
    >
      {segment?.problem ? (
        <Note tone="careful">
          <strong>It cannot be used as it is</strong>
          <p>{segment.problem.message}.</p>
        </Note>
      ) : null}
      <div className="segment-editor">
        {mayWrite ? (
          <Card>
            <div className="stack">
              <Field
                label="Name"
                name="name"
                value={draft.name}
                maxLength={100}
                autoComplete="off"
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <TextArea
                label="What it is for"
                name="description"
                isOptional
                rows={2}
                maxLength={1_000}
                value={draft.description}
                onChange={(event) => change({ description: event.currentTarget.value })}
              />
              <div>
                <h2 className="legend">Everybody who is like this</h2>
                <ConditionBuilder
                  rows={draft.rows}
                  change={(rows) => change({ rows })}
                  askable={IN_SEGMENTS}
                  problems={problems}
                />
              </div>
              <Save
                segment={segment}
                draft={draft}
                isReady={draft.name.trim() !== '' && Object.keys(problems).length === 0}
                isChanged={isChanged}
                saved={drop}
              />
            </div>
          </Card>
        ) : null}
        <SegmentPreview condition={condition} isReady={Object.keys(problems).length === 0} />
      </div>
      {segment ? <Members segment={segment} /> : null}
    </Page>
  )
}

interface SaveProps {
  segment: Segment | undefined
  draft: Draft
  isReady: boolean
  isChanged: boolean
  saved: () => void
}

function Save({ segment, draft, isReady, isChanged, saved }: SaveProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (isForced = false): Promise<void> => {
    if (!isReady) return
    setBusy(true)
    setError(undefined)
    const body = {
      name: draft.name.trim(),
      description: draft.description.trim() === '' ? null : draft.description.trim(),
      condition: writeCondition(conditionOf(draft.rows)),
    }
    try {
      const stored = segment
        ? await client.patch('/v1/segments/{id}', {
            params: { path: { id: segment.id } },
            body: { ...body, ...(isForced ? {} : { ifUnmodifiedSince: segment.updatedAt }) },
          })
        : await client.post('/v1/segments', { body })
      saved()
      cache.setQueryData([org, 'segments', 'one', stored.id], stored)
      await cache.invalidateQueries({ queryKey: [org, 'segments'] })
      toast('The segment is saved')
      if (!segment) {
        await navigate({ to: '/$org/segments/$id', params: { org, id: stored.id } })
      }
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const isStale = error instanceof ApiFailure && error.reason === 'modified'
  return (
    <>
      {isStale ? (
        <Note tone="careful">
          <strong>Somebody else has saved this segment while you wrote</strong>
          <p>Nothing of yours is lost. Reload the page in another tab to see what they saved.</p>
          <div>
            <Button onClick={() => void save(true)}>Save mine over it</Button>
          </div>
        </Note>
      ) : error === undefined ? null : (
        <Failure error={error} />
      )}
      <div className="row">
        <Button look="primary" isBusy={isBusy} onClick={() => void save()}>
          {segment ? 'Save' : 'Save the segment'}
        </Button>
        <span className="soft" role="status">
          {draft.name.trim() === ''
            ? 'Still to do: give it a name.'
            : isReady
              ? isChanged
                ? 'Not saved yet.'
                : ''
              : 'Still to do: complete the filters.'}
        </span>
      </div>
    </>
  )
}

function Members({ segment: { id } }: { segment: Segment }) {
  const client = useClient()
  const org = useOrganizationId()
  const { cursor } = useSearch({ from: '/$org/segments/$id' })
  const answer = useQuery({
    queryKey: [org, 'segment-members', id, cursor],
    queryFn: () =>
      client.get('/v1/segments/{id}/members', {
        params: { path: { id }, query: { pageSize: PAGE, ...presentParts({ cursor }) } },
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="Who is in it now" isFlush>
      <Shown answer={answer}>
        {({ contacts, total, totalIsExact, nextCursor }) =>
          contacts.length === 0 ? (
            <Empty title="Nobody">Nobody is like this at the moment.</Empty>
          ) : (
            <>
              <p className="table-count soft">
                {totalIsExact ? counted(total, 'person', 'people') : `${number(total)} or more`}
              </p>
              <Table
                caption="Members of the segment"
                rows={contacts}
                keyOf={(contact) => contact.id}
                columns={[
                  {
                    title: 'Contact',
                    cell: (contact) => (
                      <Link to="/$org/contacts/$id" params={{ org, id: contact.id }}>
                        {contact.email ?? contact.phone ?? contact.id}
                      </Link>
                    ),
                  },
                  { title: 'Name', cell: nameOf },
                  {
                    title: 'Status',
                    cell: ({ emailStatus }) =>
                      emailStatus === null ? '' : <Status list="contact" value={emailStatus} />,
                  },
                  {
                    title: 'Since',
                    cell: ({ enteredAt }) => (enteredAt === null ? '' : moment(enteredAt)),
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

function DeleteSegment({ segment: { id, name } }: { segment: Segment }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      look="danger"
      action={`Delete ${name}`}
      label="Delete"
      title={`Delete the segment “${name}”?`}
      done="The segment is deleted"
      run={async () => {
        await client.delete('/v1/segments/{id}', { params: { path: { id } } })
        await navigate({ to: '/$org/segments', params: { org } })
        await cache.invalidateQueries({ queryKey: [org, 'segments'] })
      }}
    >
      <p>
        The description goes; the people stay contacts. If a batch or a workflow still uses it, you
        are told which, and nothing is deleted.
      </p>
    </Confirm>
  )
}
