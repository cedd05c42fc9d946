import { pages, type Schemas } from '../../client/index.ts'
import type { ApiAccess } from './api-access.ts'
import { asking, textOf, wordsOf } from './api-client.ts'

/** Workflows of one pulled page, the API's maximum. */
const PAGE = 100

/** Pulls all workflows, or the one with this slug. Errors are sentences for a terminal. */
export async function pullFlows(
  access: ApiAccess,
  slug: string | undefined,
): Promise<Schemas['PulledWorkflow'][]> {
  const pulled = await asking(access, async (client) => {
    const workflows: Schemas['PulledWorkflow'][] = []
    const query = { limit: PAGE, ...(slug === undefined ? {} : { slug }) }
    const load = (cursor: { cursor?: string }) =>
      client.get('/v1/workflows/pull', { params: { query: { ...query, ...cursor } } })
    for await (const page of pages(load)) workflows.push(...page.workflows)
    return workflows
  })
  if (slug !== undefined && pulled.length === 0) throw new Error(`There is no workflow ${slug}`)
  return pulled
}

export async function pushFlows(
  access: ApiAccess,
  path: string,
  options: { dryRun: boolean; force: boolean },
): Promise<Schemas['WorkflowPushResult']> {
  const { workflows } = await readFlows(path)
  return asking(access, (client) =>
    client.post('/v1/workflows/push', { body: { workflows, ...options } }),
  )
}

type FlowFile = Pick<Schemas['WorkflowListPush'], 'workflows'>

async function readFlows(path: string): Promise<FlowFile> {
  const text = await textOf(path)
  let file: unknown
  try {
    // Some editors begin a file with a byte order mark.
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${path} is not JSON: ${wordsOf(error)}`, { cause: error })
  }
  if (!isFlowFile(file)) throw new Error(`${path} has no list of workflows: pull writes such files`)
  return file
}

const isFlowFile = (file: unknown): file is FlowFile =>
  typeof file === 'object' && file !== null && 'workflows' in file && Array.isArray(file.workflows)
