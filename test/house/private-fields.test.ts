import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'
import { importsOf } from './law.ts'

/** Files within a package that its documentation names, or that it exports under that name. */
const DOCUMENTED = new Set([
  'ajv/dist/2020.js',
  'csv-stringify/sync',
  'libphonenumber-js/min',
  'mailauth/lib/dkim/sign.js',
  'mailauth/lib/dkim/verify.js',
  'nodemailer/lib/mail-composer',
  'typebox/compile',
  'vitest/config',
  'vitest/node',
])

/** Fields of a dependency that its types may know and its documentation does not. */
const UNDOCUMENTED = new Set(['pauseOnConnect', 'shouldKeepAlive'])

/** Assertions of one type as another that are of our own types on both sides. */
const OWN_TYPES = new Set([
  // A function with properties: the compiler does not follow `Object.assign` that far.
  'src/store/db/statement.ts: as unknown as Executor & More',
])

/** `name/file` or `@scope/name/file`, and not `node:name/file`. */
const PACKAGE_FILE = /^(?:@[\w-]+\/[\w.-]+|\w[\w.-]*)\/[\w./-]+$/
/** A text that names a file within a package. */
const FOREIGN_FILE = /^'(?:[./]*\/)?node_modules\/(?:@[\w-]+\/)?[\w-]+\/(?:lib|dist|src)\//
/** Calls that find what has no name. */
const WAYS_IN =
  /^(?:Object\.getOwnPropertySymbols|Reflect\.ownKeys|process\.binding|Symbol\.for\('(?!letterloom\.))/

/** Whatever `intrusions` looks for in a syntax tree has one of these in its text. */
const MAY_INTRUDE =
  /(?<!\w)_(?!_proto__)|pauseOnConnect|shouldKeepAlive|node_modules|getOwnPropertySymbols|ownKeys|process\.binding|Symbol\.for|\\[ux]/

interface Node {
  type: string
  start: number
  end: number
}

/** Calls `visit` for each node of a syntax tree. */
function walk(tree: unknown, visit: (node: Node) => void): void {
  if (typeof tree !== 'object' || tree === null) return
  if ('type' in tree && 'start' in tree) visit(tree as Node)
  for (const child of Object.values(tree)) walk(child, visit)
}

const field = (node: unknown, name: string): unknown => Reflect.get(Object(node), name)

/** The names by which a node reads or writes fields of something else than `this`. */
function touched(node: Node): unknown[] {
  switch (node.type) {
    case 'MemberExpression': {
      if (field(field(node, 'object'), 'type') === 'ThisExpression') return []
      const property = field(node, 'property')
      return [field(property, field(node, 'computed') === true ? 'value' : 'name')]
    }
    case 'ObjectPattern':
      return [field(node, 'properties')].flat().map((each) => field(field(each, 'key'), 'name'))
    case 'CallExpression': {
      const isReflect = field(field(field(node, 'callee'), 'object'), 'name') === 'Reflect'
      return isReflect ? [field(node, 'arguments')].flat().map((each) => field(each, 'value')) : []
    }
    default:
      return []
  }
}

/** The ways of a text into the inside of something that is not its own. */
function intrusions(path: string, text: string): string[] {
  const found = importsOf(path, text)
    .map(({ specifier }) => specifier)
    .filter((specifier) => PACKAGE_FILE.test(specifier) && !DOCUMENTED.has(specifier))
  // Whole trees of files in which nothing of it can be would take half a minute.
  if (!MAY_INTRUDE.test(text)) return found
  walk(parseSync(path, text).program, (node) => {
    const words = text.slice(node.start, node.end)
    for (const name of touched(node)) {
      if (typeof name !== 'string') continue
      if (/^_(?!_proto__)/.test(name) || UNDOCUMENTED.has(name)) found.push(name)
    }
    if (node.type === 'Literal' && FOREIGN_FILE.test(words)) found.push(words)
    if (node.type === 'CallExpression' && WAYS_IN.test(words)) found.push(words)
  })
  return found
}

/** Every `as unknown as …`: the way around the types, and so to fields that they do not tell of. */
function assertions(path: string, text: string): string[] {
  const found: string[] = []
  if (!/\bas\s+unknown\b/.test(text)) return found
  walk(parseSync(path, text).program, (node) => {
    if (node.type !== 'TSAsExpression') return
    const inner = field(node, 'expression')
    if (field(field(inner, 'typeAnnotation'), 'type') !== 'TSUnknownKeyword') return
    const type = text.slice(Number(field(inner, 'end')), node.end)
    found.push(`${path}: as unknown${type}`)
  })
  return found
}

const files = trackedFiles()
  .filter((path) => /\.(?:ts|mjs)$/.test(path))
  .filter((path) => !path.endsWith('.d.ts') && path !== 'src/client/schema.ts')
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test.each([
  "import { kReply } from 'fastify/lib/symbols.js'",
  "import { historyToJSON } from '@temporalio/client/lib/helpers.js'",
  "const queue = await import('postgres/src/queue.js')",
  'socket._handle.fd',
  "socket['_handle']",
  'const { _events } = server',
  "Reflect.get(server, '_connectionKey')",
  "Reflect.set(server, 'pauseOnConnect', true)",
  'response.shouldKeepAlive = false',
  'Object.getOwnPropertySymbols(reply)',
  "reply[Symbol.for('fastify.reply')]",
  "process.binding('tcp_wrap')",
  "readFileSync('node_modules/undici/lib/web/fetch/constants.js')",
])('this is found: %s', (text) => {
  expect(intrusions('case.ts', text)).not.toEqual([])
})

test.each([
  "import { Ajv2020 } from 'ajv/dist/2020.js'",
  "import { setTimeout } from 'node:timers/promises'",
  "import { Type } from '@fastify/type-provider-typebox'",
  "import { sql } from '../src/store/db/sql.ts'",
  'this._own',
  "Symbol.for('letterloom.test.environment')",
  "join('node_modules/.bin/tsc')",
])('this is none: %s', (text) => {
  expect(intrusions('case.ts', text)).toEqual([])
})

test('no private field of a dependency or of Node is touched, and no file within one is read', () => {
  expect(files.length).toBeGreaterThan(500)
  const own = 'test/house/private-fields.test.ts'
  const found = files
    .filter(({ path }) => path !== own)
    .flatMap(({ path, text }) => intrusions(path, text).map((each) => `${path}: ${each}`))
  expect(found).toEqual([])
})

test('no program goes around the types', () => {
  expect(assertions('case.ts', 'const q = made as unknown as Query')).toHaveLength(1)
  const programs = files.filter(({ path }) => /^(?:src|workflows|activities|api)\//.test(path))
  const found = programs.flatMap(({ path, text }) => assertions(path, text))
  expect(new Set(found)).toEqual(OWN_TYPES)
})
