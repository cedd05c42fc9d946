import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** What the files of one floor may import. */
interface Floor {
  /** Floors whose code they may run, besides their own. */
  runs: readonly string[]
  /** Floors of which they may only know the types; `*`: of all. */
  knows?: readonly string[]
  /** `name`, or `name/*` with everything within it; `node` is all that Node brings. */
  packages: readonly string[]
}

const EVERYTHING = ['*']

/** Rooms that serve several floors. */
export const SHARED = ['src/keys', 'src/text', 'src/runtime']

/**
 * Who may import whom: the only table of it. A floor is a folder or a file; a file belongs to the
 * longest path that it begins with.
 */
export const LAW: Readonly<Record<string, Floor>> = {
  'src/domain': { runs: [], packages: [] },
  'src/schemas': { runs: ['src/domain'], packages: ['typebox'] },
  'src/runtime': { runs: ['src/domain'], packages: ['node', 'prom-client'] },
  'src/config.ts': { runs: ['src/domain'], packages: ['@temporalio/envconfig', 'node'] },
  'src/text': { runs: ['src/domain'], packages: ['libphonenumber-js/*', 'luxon', 'tldts'] },
  'src/keys': { runs: ['src/domain', 'src/runtime'], packages: ['@node-rs/argon2', 'node'] },
  'src/store': {
    runs: ['src/domain', 'src/runtime'],
    knows: ['src/schemas', 'workflows/contract.ts'],
    packages: ['postgres', 'node'],
  },
  'src/mail': {
    runs: ['src/domain'],
    packages: [
      '@css-inline/css-inline-wasm',
      'html-to-text',
      'liquidjs',
      'mailauth/*',
      'mrml',
      'node',
      'nodemailer/*',
      'postal-mime',
    ],
  },
  'src/net': {
    runs: ['src/domain', 'src/text'],
    packages: ['undici', 'ipaddr.js', 'node'],
  },
  'src/setup': { runs: ['src/domain'], packages: [] },
  'src/core': {
    runs: ['src/domain', 'src/store', 'src/mail', 'src/net', ...SHARED],
    knows: ['src/schemas'],
    packages: ['node'],
  },
  'workflows/contract.ts': { runs: [], knows: EVERYTHING, packages: [] },
  workflows: {
    runs: ['workflows/contract.ts', 'src/domain'],
    knows: EVERYTHING,
    packages: ['@temporalio/workflow'],
  },
  activities: {
    runs: ['src/core', 'src/domain', 'src/schemas', 'src/store', 'src/mail', 'src/net'].concat(
      SHARED,
    ),
    knows: ['workflows/contract.ts'],
    packages: ['@temporalio/activity', 'node'],
  },
  'activities/aws': {
    runs: ['src/domain', 'src/keys', 'src/runtime'],
    knows: ['activities'],
    packages: ['@aws-sdk/*', '@smithy/*', 'undici', 'node'],
  },
  api: {
    runs: ['src/core', 'src/domain', 'src/schemas', 'src/store', 'src/mail', 'src/net'].concat([
      'src/setup',
      'workflows/contract.ts',
      ...SHARED,
    ]),
    knows: ['workflows'],
    packages: ['fastify', '@fastify/*', 'typebox', 'ajv/*', 'ajv-formats', 'ipaddr.js'].concat([
      'csv-parse',
      'csv-stringify/*',
      'prom-client',
      'secure-json-parse',
      'smtp-server',
      '@temporalio/client',
      'node',
    ]),
  },
  // It runs in browsers, too.
  'src/client': { runs: [], knows: EVERYTHING, packages: ['openapi-fetch'] },
  // A client like any other, in the browser.
  'src/console': {
    runs: ['src/client', 'src/domain'],
    packages: ['react', 'react-dom/*', '@base-ui/react/*', 'lucide-react'].concat([
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@codemirror/*',
      '@lezer/highlight',
      '@xyflow/react',
      '@xyflow/react/*',
    ]),
  },
  'src/console/vite.config.ts': { runs: [], packages: ['vite', 'node'] },
  'src/loops': {
    runs: ['src/core', 'src/domain', 'src/store', 'workflows/contract.ts', ...SHARED],
    packages: ['@temporalio/client', 'node'],
  },
  // It may import everything; nobody else imports it.
  'src/main': { runs: EVERYTHING, packages: EVERYTHING },
  // The stand-in for AWS: it learns nothing of us but how to ask Postgres.
  'tools/sandbox': { runs: ['src/store'], packages: EVERYTHING },
  tools: { runs: EVERYTHING, packages: EVERYTHING },
  test: { runs: EVERYTHING, packages: EVERYTHING },
}

const FLOORS = Object.keys(LAW).toSorted((a, b) => b.length - a.length)

/** The floor of a path from the root of the checkout. */
export const floorOf = (path: string): string | undefined =>
  FLOORS.find((floor) => path === floor || path.startsWith(`${floor}/`))

export interface Import {
  /** As it is written. */
  specifier: string
  typesOnly: boolean
}

/**
 * Everything that a file imports or exports again, in whatever way. Throws when it cannot be read.
 */
export function importsOf(path: string, text: string): Import[] {
  const { module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((each) => each.message).join()}`)
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    typesOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }))
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, typesOnly: isType }] : [],
    ),
  )
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    specifier: text.slice(start, end).replaceAll(/^['"`]|['"`]$/g, ''),
    typesOnly: false,
  }))
  return [...imports, ...exports, ...dynamic]
}

/** The file of ours that a specifier names, from the root. Undefined: it names a package. */
export const targetOf = (path: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? join(dirname(path), specifier) : undefined

/** Whether the law lets the file at `path` import this. */
export function allows(path: string, { specifier, typesOnly }: Import): boolean {
  const floor = floorOf(path)
  const law = floor === undefined ? undefined : LAW[floor]
  if (!law) return false
  const target = targetOf(path, specifier)
  if (target === undefined) {
    const all = law.packages === EVERYTHING || (typesOnly && law.knows === EVERYTHING)
    return all || law.packages.some((each) => isPackage(each, specifier))
  }
  const to = floorOf(target)
  if (to === undefined) return false
  if (to === floor || law.runs === EVERYTHING || law.runs.includes(to)) return true
  return typesOnly && (law.knows === EVERYTHING || (law.knows ?? []).includes(to))
}

function isPackage(allowed: string, specifier: string): boolean {
  if (allowed === 'node') return specifier.startsWith('node:')
  if (!allowed.endsWith('/*')) return specifier === allowed
  return specifier === allowed.slice(0, -2) || specifier.startsWith(allowed.slice(0, -1))
}
