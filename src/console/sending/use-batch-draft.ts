import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'
import { useClient, useOrganizationId, useSession } from '../lib/session.tsx'
import {
  type BatchDraft,
  draftOf,
  EMPTY_DRAFT,
  isWritten,
  partsWithoutField,
  storedOf,
} from './batch-draft.ts'

const FORM = 'batch'
const TYPING_MS = 1_000

/**
 * - new: nothing was written yet
 * - changed: it is stored in a moment
 * - stored: the server has what is shown
 * - failed: it is on this page and in this tab only
 * - stale: somebody else has changed the stored draft meanwhile
 * - loading: a draft that was written elsewhere is on its way
 * - lost: it did not come
 * - foreign: it has parts that this page has no field for, and would lose
 */
export type DraftState =
  | 'new'
  | 'changed'
  | 'stored'
  | 'failed'
  | 'stale'
  | 'loading'
  | 'lost'
  | 'foreign'

/** The draft that the server has. */
interface StoredDraft {
  id: string
  updatedAt: string
  text: string
}

/**
 * What is written survives a reload of the tab at once, and the tab itself a second later: the
 * server stores it as a draft, which everybody who may send can go on with.
 */
export function useBatchDraft(draftId: string | undefined) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { user } = useSession()
  const owner = `${user.id}:${org}`
  const [local] = useState(() => localOf(owner, draftId))
  const [draft, setDraft] = useState<BatchDraft>({ ...EMPTY_DRAFT, ...local.draft })
  const stored = useRef<StoredDraft | undefined>(local.stored)
  const [state, setState] = useState<DraftState>(() => {
    if (local.stored) return 'stored'
    return draftId === undefined ? 'new' : 'loading'
  })
  const [error, setError] = useState<unknown>()
  const [foreignParts, setForeignParts] = useState<string[]>([])
  const newest = useRef(draft)
  const running = useRef(Promise.resolve())
  const isSent = useRef(false)
  const isOpen = useRef(true)

  const note = useCallback(
    (answer: { id: string; updatedAt: string }, text: string): void => {
      stored.current = { id: answer.id, updatedAt: answer.updatedAt, text }
      if (!isSent.current) keepLocal(owner, newest.current, stored.current)
      setError(undefined)
      setState(JSON.stringify(newest.current) === text ? 'stored' : 'changed')
      void cache.invalidateQueries({ queryKey: [org, 'batch-drafts'] })
    },
    [cache, org, owner],
  )

  const store = useCallback(
    async (isForced: boolean): Promise<void> => {
      const written = newest.current
      const text = JSON.stringify(written)
      if (isSent.current || text === stored.current?.text || !isWritten(written)) return
      const input = storedOf(written)
      try {
        if (stored.current) {
          const { id, updatedAt } = stored.current
          const since = isForced ? {} : { ifUnmodifiedSince: updatedAt }
          const params = { path: { id } }
          note(
            await client.patch('/v1/batch-drafts/{id}', { params, body: { input, ...since } }),
            text,
          )
        } else {
          const answer = await client.post('/v1/batch-drafts', { body: { input } })
          note(answer, text)
          // A person who has gone on to another page is not called back.
          if (isSent.current || !isOpen.current) return
          await navigate({
            to: '/$org/batches/new',
            params: { org },
            search: { draft: answer.id },
            replace: true,
            resetScroll: false,
          })
        }
      } catch (problem) {
        setError(problem)
        const isStale = problem instanceof ApiFailure && problem.reason === 'modified'
        // Somebody has deleted or sent it: what is written here becomes another one.
        if (problem instanceof ApiFailure && problem.status === 404) stored.current = undefined
        setState(isStale ? 'stale' : 'failed')
      }
    },
    [client, navigate, note, org],
  )

  const flush = useCallback(
    (isForced = false): Promise<void> => {
      running.current = running.current.then(() => store(isForced))
      return running.current
    },
    [store],
  )

  const load = useCallback(
    async (id: string): Promise<void> => {
      setState('loading')
      try {
        const answer = await client.get('/v1/batch-drafts/{id}', { params: { path: { id } } })
        const parts = partsWithoutField(answer.input)
        setForeignParts(parts)
        if (parts.length > 0) {
          setState('foreign')
          return
        }
        const theirs = draftOf(answer.input)
        newest.current = theirs
        setDraft(theirs)
        note(answer, JSON.stringify(theirs))
      } catch (problem) {
        setError(problem)
        setState('lost')
      }
    },
    [client, note],
  )

  // A draft that was written elsewhere.
  useEffect(() => {
    if (draftId !== undefined && draftId !== stored.current?.id) void load(draftId)
  }, [draftId, load])

  const isUnread = state === 'loading' || state === 'lost' || state === 'foreign'
  useEffect(() => {
    newest.current = draft
    if (isSent.current || isUnread) return
    keepLocal(owner, draft, stored.current)
    if (!isWritten(draft) || JSON.stringify(draft) === stored.current?.text) return
    setState((before) => (before === 'stale' ? before : 'changed'))
    const timer = setTimeout(() => void flush(), TYPING_MS)
    return () => clearTimeout(timer)
  }, [owner, draft, flush, isUnread])

  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
      void flush()
    }
  }, [flush])

  const removeStored = async (): Promise<void> => {
    // It may be on its way to the server at this moment.
    await running.current
    const id = stored.current?.id
    if (id === undefined) return
    try {
      await client.delete('/v1/batch-drafts/{id}', { params: { path: { id } } })
      await cache.invalidateQueries({ queryKey: [org, 'batch-drafts'] })
    } catch {
      // A draft that stays is only untidy: the batch is made.
    }
  }

  return {
    draft,
    change: (part: Partial<BatchDraft>): void => setDraft((before) => ({ ...before, ...part })),
    state,
    error,
    foreignParts,
    storeAgain: () => flush(),
    loadAgain: () => (draftId === undefined ? Promise.resolve() : load(draftId)),
    keepMine: () => flush(true),
    takeTheirs: () => (stored.current ? load(stored.current.id) : Promise.resolve()),
    /** Is called when the batch was made of it. */
    sent: (): void => {
      isSent.current = true
      dropDraft(owner, FORM)
      void removeStored()
    },
  }
}

/** Keeps in this tab what is written, with the draft that the server has of it. */
function keepLocal(owner: string, draft: BatchDraft, stored: StoredDraft | undefined): void {
  const { id = '', updatedAt = '', text = '' } = stored ?? {}
  keepDraft(owner, FORM, { ...draft, draftId: id, storedAt: updatedAt, storedText: text })
}

/**
 * Returns what this tab has kept of the draft. A new batch goes on with what the server has not got
 * yet, but begins empty after a draft that is stored.
 */
function localOf(
  owner: string,
  draftId: string | undefined,
): { draft: Partial<BatchDraft>; stored: StoredDraft | undefined } {
  const { draftId: id = '', storedAt = '', storedText = '', ...draft } = readDraft(owner, FORM)
  const isStored = id !== '' && JSON.stringify({ ...EMPTY_DRAFT, ...draft }) === storedText
  if (draftId === undefined ? isStored : draftId !== id) return { draft: {}, stored: undefined }
  return { draft, stored: id === '' ? undefined : { id, updatedAt: storedAt, text: storedText } }
}
