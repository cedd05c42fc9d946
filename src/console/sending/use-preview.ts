import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { useSettled } from '../lib/settled.ts'
import { type BatchDraft, inputOf, missingOf } from './batch-draft.ts'

const TYPING_MS = 800

/** What the API says a draft would do, asked once somebody has stopped typing. */
export function usePreview(draft: BatchDraft) {
  const client = useClient()
  const org = useOrganizationId()
  const isComplete = missingOf(draft).length === 0
  const text = isComplete ? JSON.stringify(inputOf(draft)) : ''
  const settled = useSettled(text, TYPING_MS)
  return useQuery({
    queryKey: [org, 'batch-preview', settled],
    queryFn: () => client.post('/v1/batch/preview', { body: JSON.parse(settled) }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    // Each is a mail or two: those of a long evening need not be kept.
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  })
}
