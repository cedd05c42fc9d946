import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import type { Schemas } from '../../client/index.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'

type Template = Schemas['Template']

/** What somebody writes of a template. Texts are never null here: they are fields of a page. */
export interface TemplateDraft {
  name: string
  subject: string
  previewText: string
  source: string
  sourceType: Template['sourceType']
  emailType: Template['emailType']
  variables: Template['variables']
}

/**
 * - saved: the server has what is shown
 * - changed: somebody types; it is saved in a moment
 * - saving: it is on its way
 * - failed: it was refused or did not arrive
 * - stale: somebody else has saved another text meanwhile
 */
export type SaveState = 'saved' | 'changed' | 'saving' | 'failed' | 'stale'

const TYPING_MS = 1_000

const draftOf = ({
  name,
  subject,
  previewText,
  source,
  sourceType,
  emailType,
  variables,
}: Template): TemplateDraft => ({
  name,
  subject: subject ?? '',
  previewText: previewText ?? '',
  source,
  sourceType,
  emailType,
  variables,
})

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The change that a draft stands for; a template cannot be without a name. */
const patchOf = ({ name, subject, previewText, ...rest }: TemplateDraft) => ({
  ...rest,
  ...(name.trim() === '' ? {} : { name: name.trim() }),
  subject: textOrNull(subject),
  previewText: textOrNull(previewText),
  // A name is missing while somebody types it.
  variables: rest.variables.filter((variable) => variable.name !== ''),
})

/**
 * Saves what is written a second after the last key, one save at a time, and only over the version
 * that was read: two people never overwrite each other without being told.
 */
export function useTemplateDraft(template: Template) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { id } = template
  const [draft, setDraft] = useState(() => draftOf(template))
  const [state, setState] = useState<SaveState>('saved')
  const [error, setError] = useState<unknown>()
  const saved = useRef({ updatedAt: template.updatedAt, text: JSON.stringify(draftOf(template)) })
  const [updatedAt, setUpdatedAt] = useState(template.updatedAt)
  const newest = useRef(draft)
  const running = useRef(Promise.resolve(true))
  const isOpen = useRef(true)

  const keep = useCallback(
    (template: Template, text: string): void => {
      saved.current = { updatedAt: template.updatedAt, text }
      setUpdatedAt(template.updatedAt)
      cache.setQueryData([org, 'templates', 'one', id], template)
    },
    [cache, org, id],
  )

  const save = useCallback(
    async (isForced: boolean): Promise<boolean> => {
      const written = newest.current
      const text = JSON.stringify(written)
      if (text === saved.current.text) return true
      setState('saving')
      try {
        const template = await client.patch('/v1/templates/{id}', {
          params: { path: { id } },
          body: {
            ...patchOf(written),
            ...(isForced ? {} : { ifUnmodifiedSince: saved.current.updatedAt }),
          },
        })
        keep(template, text)
        setError(undefined)
        setState(JSON.stringify(newest.current) === text ? 'saved' : 'changed')
        return true
      } catch (problem) {
        setError(problem)
        const isStale = problem instanceof ApiFailure && problem.reason === 'modified'
        setState(isStale ? 'stale' : 'failed')
        return false
      }
    },
    [client, id, keep],
  )

  /** Saves now what is not saved yet. False: it could not be. */
  const flush = useCallback(
    (isForced = false): Promise<boolean> => {
      running.current = running.current.then(() => save(isForced))
      return running.current
    },
    [save],
  )

  useEffect(() => {
    newest.current = draft
    if (JSON.stringify(draft) === saved.current.text) return
    setState((before) => (before === 'stale' ? before : 'changed'))
    const timer = setTimeout(() => {
      if (isOpen.current) void flush()
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [draft, flush])

  // Who goes to another page within the second loses nothing, and who closes the tab is asked.
  useEffect(() => {
    isOpen.current = true
    const ask = (event: BeforeUnloadEvent): void => {
      if (JSON.stringify(newest.current) !== saved.current.text) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => {
      isOpen.current = false
      removeEventListener('beforeunload', ask)
      void flush()
    }
  }, [flush])

  /** Shows what the server has, instead of what was written here. */
  const takeTheirs = async (): Promise<void> => {
    const template = await client.get('/v1/templates/{id}', { params: { path: { id } } })
    const theirs = draftOf(template)
    keep(template, JSON.stringify(theirs))
    setDraft(theirs)
    setError(undefined)
    setState('saved')
  }

  return {
    draft,
    change: (part: Partial<TemplateDraft>): void => setDraft((before) => ({ ...before, ...part })),
    state,
    error,
    /** Of the version that the server has. */
    updatedAt,
    flush,
    keepMine: () => flush(true),
    takeTheirs,
    /** Remembers what an operation answered that does not change what was written. */
    noteTemplate: (template: Template): void => keep(template, saved.current.text),
  }
}
