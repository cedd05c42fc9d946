import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'

const MOST_LINES = 70

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
  const own = nameOf(node)
  if (isNode(node)) visit(node, own ?? name)
  for (const child of Object.values(node)) walk(child, visit, own ?? name)
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

/** Its lines without those of the functions and the texts within it, SQL among them. */
function linesOf({ node, text }: Named): number {
  const [first, last] = [lineAt(text, node.start), lineAt(text, node.end)]
  const inner = new Set<number>()
  walk(node, (each) => {
    if (each.start === node.start || !(isFunction(each) || each.type === 'TemplateLiteral')) return
    const [from, to] = [lineAt(text, each.start), lineAt(text, each.end)]
    for (let line = from + 1; line <= to; line++) inner.add(line)
  })
  return last - first + 1 - inner.size
}

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

test(`no function has more than ${MOST_LINES} lines, but for lists of routes`, () => {
  const long = functions
    .filter(({ name }) => !name.endsWith('Routes'))
    .filter((each) => linesOf(each) > MOST_LINES)
    .map(({ path, name }) => `${path}: ${name}`)
  expect(long).toEqual([])
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
