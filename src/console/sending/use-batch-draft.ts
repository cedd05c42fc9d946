import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'
import { useClient, useOrganizationId, useSession } from '../lib/session.tsx'
import { type BatchDraft, draftOf, EMPTY_DRAFT, isWritten, storedOf } from './batch-draft.ts'

const FORM = 'batch'
const TYPING_MS = 1_000

/**
 * - new: nothing was written yet
 * - changed: it is stored in a moment
 * - stored: the server has what is shown
 * - failed: it is on this page and in this tab only
 * - stale: somebody else has changed the stored draft meanwhile
 */
export type DraftState = 'new' | 'changed' | 'stored' | 'failed' | 'stale'

/** The draft that the server has. */
interface Stored {
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
  const [draft, setDraft] = useState<BatchDraft>(() => ({
    ...EMPTY_DRAFT,
    ...localOf(owner, draftId).draft,
  }))
  const stored = useRef<Stored | undefined>(localOf(owner, draftId).stored)
  const [state, setState] = useState<DraftState>(() =>
    localOf(owner, draftId).stored ? 'stored' : 'new',
  )
  const [error, setError] = useState<unknown>()
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
      const answer = await client.get('/v1/batch-drafts/{id}', { params: { path: { id } } })
      const theirs = draftOf(answer.input)
      newest.current = theirs
      setDraft(theirs)
      note(answer, JSON.stringify(theirs))
    },
    [client, note],
  )

  // A draft that was written elsewhere.
  useEffect(() => {
    if (draftId === undefined || draftId === stored.current?.id) return
    load(draftId).catch((problem: unknown) => {
      setError(problem)
      setState('failed')
    })
  }, [draftId, load])

  useEffect(() => {
    newest.current = draft
    if (isSent.current) return
    keepLocal(owner, draft, stored.current)
    if (!isWritten(draft) || JSON.stringify(draft) === stored.current?.text) return
    setState((before) => (before === 'stale' ? before : 'changed'))
    const timer = setTimeout(() => void flush(), TYPING_MS)
    return () => clearTimeout(timer)
  }, [owner, draft, flush])

  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
      void flush()
    }
  }, [flush])

  /** Forgets it in this tab. A draft that the server has stays there. */
  const forget = (): void => {
    isSent.current = true
    dropDraft(owner, FORM)
  }

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
    keepMine: () => flush(true),
    takeTheirs: () => (stored.current ? load(stored.current.id) : Promise.resolve()),
    forget,
    /** Is called when the batch was made of it. */
    sent: (): void => {
      forget()
      void removeStored()
    },
  }
}

/** Keeps in this tab what is written, with the draft that the server has of it. */
function keepLocal(owner: string, draft: BatchDraft, stored: Stored | undefined): void {
  const { id = '', updatedAt = '', text = '' } = stored ?? {}
  keepDraft(owner, FORM, { ...draft, draftId: id, storedAt: updatedAt, storedText: text })
}

/** What this tab has kept, unless another draft is asked for. */
function localOf(
  owner: string,
  draftId: string | undefined,
): { draft: Partial<BatchDraft>; stored: Stored | undefined } {
  const { draftId: id = '', storedAt = '', storedText = '', ...draft } = readDraft(owner, FORM)
  if (draftId !== undefined && draftId !== id) return { draft: {}, stored: undefined }
  return {
    draft: Object.keys(draft).length === 0 ? {} : draftOf(draft),
    stored: id === '' ? undefined : { id, updatedAt: storedAt, text: storedText },
  }
}
