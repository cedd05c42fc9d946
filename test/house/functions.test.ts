import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'

/** Lines of a function with the functions and the SQL within it: a screen. */
const MOST_LINES = 70

/** Lists, whose entries are functions of their own: they may be as long as they are. */
const LISTS = /(?:Routes|Activities)$/

/** Functions that are longer, and why no part of them stands alone. */
const LONGER: Readonly<Record<string, string>> = {
  // One statement each: its parts name one another.
  'src/store/delivery/claim-range.ts: claimRange': 'what is claimed is checked as it is claimed',
  'src/store/delivery/claims.ts: listDue': 'all evidence about a claim is of one snapshot',
  'src/store/delivery/inbound-events.ts: lockWaiting': 'turns, shares and sizes decide one set',
  'src/store/delivery/record-results.ts: recordResults': 'outcomes and what they count go together',
  'src/store/mails/claim-mails.ts: claimMails': 'what is claimed is checked as it is claimed',
  'src/store/mails/claim-texts.ts: claimTexts': 'what is claimed is checked as it is claimed',
  'src/store/platform/lags.ts: readLags': 'a list: one query for each lag',
  // One thing with a state of its own, which its inner functions change.
  'activities/aws/transport.ts: createTransport': 'a client and a pool for each region',
  'activities/aws/roles.ts: createRoles': 'credentials, refusals and clocks of roles',
  'activities/batches/send-chunk.ts: createSendChunk': 'what all chunks of a process hold',
  'activities/hooks/rounds.ts: createRounds': 'what all calls of a drain hold',
  'activities/mails/drain-mail.ts: createMailDrains': 'the drains of a process',
  'activities/mails/mail-claims.ts: createMailClaims': 'what all claims of a process hold',
  'api/limits/store-queue.ts: createStoreQueue': 'questions that wait for one statement',
  'api/smtp/server.ts: createSubmission': 'the sessions of one server',
  'src/loops/mail-waker.ts: startMailWaker': 'whom a process wakes, and whose receipts it sends',
  'src/mail/queues.ts: createQueue': 'the jobs of one thread',
  'src/mail/renderer.ts: createRenderer': 'the threads and the turns of a process',
  'src/net/questions.ts: createQuestions': 'places of owners among questions under way',
  'src/store/db/pool.ts: createPool': 'the sessions of one pool',
  'src/store/db/session.ts: openSession': 'one connection with its timers',
  'src/console/content/use-template-draft.ts: useTemplateDraft':
    'one text, and what is saved of it',
  'src/console/sending/use-batch-draft.ts: useBatchDraft': 'one draft, and what is stored of it',
  // One reading, whose steps call one another and share its limits.
  'src/core/deliverability/spf-evaluate.ts: createEvaluation': 'look-ups count over all includes',
  'src/core/deliverability/spf-tree.ts: readSpfTree': 'look-ups count over all includes',
  'src/domain/audience/condition-check.ts: checkCondition': 'problems count over all levels',
  // Lists of steps in their order.
  'src/config.ts: readConfig': 'a list: one entry for each setting',
  'src/main/commands/smtp.ts: runSmtp': 'what is started is ended in the opposite order',
  'src/main/programs/worker-queues.ts: queueTable': 'a list: one entry for each task queue',
  'src/main/programs/worker-resources.ts: openWorkerResources': 'what is opened is closed again',
  'src/main/dev/system.ts: startSystem': 'what is started is ended in the opposite order',
}

/** Functions of the store that hold no statement, and reach none in their file. */
const WITHOUT_STATEMENT = new Set([
  // The words and times that the search index is made of, on both sides of it.
  'src/store/audience/search-terms.ts: isIndexed',
  'src/store/audience/search-terms.ts: wordOf',
  // Where a batch's range of ids ends.
  'src/store/batches/batches.ts: lastRow',
])

interface Node {
  type: string
  start: number
  end: number
}
interface Named {
  path: string
  name: string
  node: Node
  text: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** Calls `visit` for a node of a syntax tree and everything within it. */
function walk(node: unknown, visit: (node: Node, name: string) => void, name = ''): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit, name)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const own = nameOf(node) ?? name
  if (isNode(node)) visit(node, own)
  // A function without a name is not the one that it stands in, which may be a list.
  const inner = isNode(node) && isFunction(node) ? `${own}, within` : own
  for (const child of Object.values(node)) walk(child, visit, inner)
}

/** What a declaration or a property calls its value. */
function nameOf(node: object): string | undefined {
  const named: unknown = 'id' in node ? node.id : 'key' in node ? node.key : undefined
  return typeof named === 'object' && named !== null && 'name' in named
    ? String(named.name)
    : undefined
}

const isFunction = ({ type }: Node): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type)

/** Where each line of a text ends, kept: every node of its tree asks. */
const endsOf = new Map<string, number[]>()
function lineAt(text: string, offset: number): number {
  let ends = endsOf.get(text)
  if (!ends) endsOf.set(text, (ends = [...text.matchAll(/\n/g)].map(({ index }) => index)))
  const line = ends.findIndex((end) => end >= offset)
  return line === -1 ? ends.length + 1 : line + 1
}

const linesOf = ({ node, text }: Named): number =>
  lineAt(text, node.end) - lineAt(text, node.start) + 1

const programs = trackedFiles()
  .filter((path) => /^(?:src|workflows|activities|api)\/.*\.ts$/.test(path))
  .filter((path) => path !== 'src/client/schema.ts')
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, program: parseSync(path, text).program }
  })

const functions = programs.flatMap(({ path, text, program }) => {
  const found: Named[] = []
  walk(program, (node, name) => {
    if (isFunction(node)) found.push({ path, name, node, text })
  })
  return found
})

test('there is something to look at', () => {
  expect(functions.length).toBeGreaterThan(2_000)
})

test(`no function has more than ${MOST_LINES} lines, but for lists and those that are named here`, () => {
  const long = functions
    .filter(({ name }) => !LISTS.test(name))
    .filter((each) => linesOf(each) > MOST_LINES)
    .map(({ path, name }) => `${path}: ${name}`)
  expect(long.toSorted()).toEqual(Object.keys(LONGER).toSorted())
})

test('what the store exports holds a statement, or calls one that stands beside it', () => {
  const found = programs
    .filter(({ path }) => path.startsWith('src/store/') && !path.startsWith('src/store/db/'))
    .flatMap(({ path, text, program }) => {
      const declared = program.body.map(({ type, start, end }) => {
        const body = text.slice(start, end)
        const [, name] = /(?:function\*?|const) (\w+)/.exec(body) ?? []
        const isFunctionLike = /^(?:export )?(?:(?:async )?function|const \w+ = [^=]*=>)/.test(body)
        return { name, body, isExported: type === 'ExportNamedDeclaration' && isFunctionLike }
      })
      return declared
        .filter(({ isExported }) => isExported)
        .map(({ name, body }) => ({ name: `${path}: ${name}`, holds: holdsSql(body, declared) }))
    })
  expect(found.length).toBeGreaterThan(200)
  const without = found.filter(({ holds }) => !holds).map(({ name }) => name)
  expect(new Set(without)).toEqual(WITHOUT_STATEMENT)
})

/** Whether there is a statement in it, or in what it names of its file. */
function holdsSql(
  body: string,
  declared: readonly { name: string | undefined; body: string }[],
  seen = new Set<string>(),
): boolean {
  if (/\b(?:sql|tx|executor)(?:<[^`]*>)?`/.test(body)) return true
  return declared.some(({ name, body: other }) => {
    if (name === undefined || seen.has(name) || !new RegExp(`\\b${name}\\b`).test(body))
      return false
    seen.add(name)
    return holdsSql(other, declared, seen)
  })
}
