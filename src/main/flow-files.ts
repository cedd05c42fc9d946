import { readFile } from 'node:fs/promises'
import { ApiFailure, type Client, createClient, pages, type Schemas } from '../client/index.ts'
import { readConfig } from '../config.ts'

/** The address of the API, and the caller's key. Without a file the key is in the environment. */
export interface ApiAccess {
  baseUrl: string
  keyFile?: string
}

/** Workflows of one page that is pulled: the most that the API returns. */
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

/** Pushes the workflows of a file; only the API checks them. */
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

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`${path} cannot be read: ${wordsOf(error)}`, { cause: error })
  }
}

async function asking<T>(
  { baseUrl, keyFile }: ApiAccess,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const token = await keyOf(keyFile)
  try {
    return await work(createClient({ baseUrl, token, fetch: stay }))
  } catch (error) {
    throw new Error(sentenceOf(error, baseUrl), { cause: error })
  }
}

function sentenceOf(error: unknown, baseUrl: string): string {
  if (error instanceof ApiFailure) return refusalOf(error, baseUrl)
  // The answer is not JSON, or not the API's; a TypeError of `fetch` itself has a cause.
  const isForeign =
    error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined)
  return isForeign
    ? `What answers at ${baseUrl} is not the API`
    : `The API does not answer at ${baseUrl}: ${wordsOf(error)}`
}

/** Follows no redirect: the key would go elsewhere, and a push would become another request. */
const stay = (request: Request): Promise<Response> => fetch(request, { redirect: 'manual' })

/** What a header can carry: the error of `fetch` about another key would repeat it. */
const KEY = /^[\x21-\x7e]{1,1000}$/

async function keyOf(file: string | undefined): Promise<string> {
  const key = file === undefined ? readConfig().apiKey : (await textOf(file)).trim()
  if (key === undefined)
    throw new Error('There is no API key: set LETTERLOOM_API_KEY or --key-file')
  if (KEY.test(key)) return key
  throw new Error(`${file ?? 'LETTERLOOM_API_KEY'} does not hold an API key`)
}

/** The refusal, with a line for each path of the input that it names. */
function refusalOf(
  { status, message, details = [], requestId }: ApiFailure,
  baseUrl: string,
): string {
  if (status >= 300 && status < 400) {
    return `${baseUrl} answers ${status}: give the address that it leads to`
  }
  const lines = details.map((detail) => `  ${detail.path}: ${detail.message}`)
  const request = requestId === undefined ? [] : [`  (request ${requestId})`]
  return [message, ...lines, ...request].join('\n')
}

/** The innermost cause: `fetch` itself only says that it failed. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return wordsOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
