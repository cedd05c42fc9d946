import { useQuery } from '@tanstack/react-query'
import { useHasSegments } from '../lib/plan.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import type { FlowDraft } from './flow-draft.ts'
import type { Names } from './flow-words.ts'

/** Names of topics, templates, segments and steps, by the id that a workflow knows them by. */
export function useNames({ steps }: Pick<FlowDraft, 'steps'>): Names {
  const { topics, templates, segments } = useChoices()
  return new Map(
    [...topics, ...templates, ...segments, ...steps].map(({ id, name }) => [id, name] as const),
  )
}

const MOST = 100

/** What steps and triggers can name. */
export function useChoices() {
  const client = useClient()
  const org = useOrganizationId()
  const hasSegments = useHasSegments() === true
  const topics = useQuery({
    queryKey: [org, 'topics'],
    queryFn: () => client.get('/v1/topics', { params: { query: { limit: MOST } } }),
  })
  const templates = useQuery({
    queryKey: [org, 'templates'],
    queryFn: () => client.get('/v1/templates', { params: { query: { limit: MOST } } }),
  })
  const segments = useQuery({
    queryKey: [org, 'segments'],
    queryFn: () => client.get('/v1/segments', { params: { query: { limit: MOST } } }),
    enabled: hasSegments,
  })
  return {
    topics: topics.data?.data ?? [],
    templates: templates.data?.data ?? [],
    segments: segments.data?.segments ?? [],
  }
}
