import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'
import { allows, floorOf, importsOf, LAW, targetOf } from './law.ts'

/** Of a file somewhere: what it may import, of what only the types, what not at all. */
interface Case {
  file: string
  allowed: string[]
  typesOnly?: string[]
  refused: string[]
}

/** Nobody but the programs and the tests runs these. */
const PROGRAMS = ['../main/cli.ts', '../main/dev/postgres.ts']

const CASES: Case[] = [
  {
    file: 'src/domain/case.ts',
    allowed: ['./batches/batch.ts', './flows/steps/index.ts'],
    refused: [
      'node:crypto',
      'crypto',
      'fastify',
      '../runtime/ids.ts',
      '../store/db/sql.ts',
      ...PROGRAMS,
    ],
  },
  {
    file: 'src/schemas/case.ts',
    allowed: ['typebox', './batches/batch.ts', '../domain/batches/batch.ts'],
    refused: ['node:crypto', 'fastify', '@sinclair/typebox', 'typebox/value', '../store/db/sql.ts'],
  },
  {
    file: 'src/store/case.ts',
    allowed: [
      'postgres',
      'node:crypto',
      'node:fs/promises',
      './db/sql.ts',
      '../runtime/ids.ts',
    ].concat(['../domain/batches/batch.ts']),
    typesOnly: ['../schemas/batches/batch.ts', '../../workflows/contract.ts'],
    refused: [
      'pg',
      '../core/flows/triggers.ts',
      '../main/dev/postgres.ts',
      '../mail/render.ts',
      '../keys/tokens.ts',
      '../config.ts',
      '../loops/loop.ts',
    ].concat(['@temporalio/client', '../../api/app.ts', '../../workflows/index.ts', ...PROGRAMS]),
  },
  {
    file: 'src/core/batches/case.ts',
    allowed: [
      'node:crypto',
      './create-batch.ts',
      '../flows/triggers.ts',
      '../../domain/batches/batch.ts',
      '../../store/batches/batches.ts',
      '../../mail/content.ts',
      '../../net/fetch.ts',
      '../../keys/tokens.ts',
      '../../runtime/ids.ts',
    ],
    typesOnly: ['../../schemas/batches/batch.ts'],
    refused: ['postgres', 'fastify', '@temporalio/client', '@aws-sdk/client-sesv2'].concat([
      '../../config.ts',
      '../../loops/loop.ts',
      '../../../api/app.ts',
      '../../../activities/index.ts',
      '../../../workflows/contract.ts',
      '../../main/cli.ts',
    ]),
  },
  {
    file: 'src/setup/case.ts',
    allowed: ['./policies.ts', '../domain/accounts/iam-role.ts'],
    refused: [
      'node:crypto',
      '@aws-sdk/client-iam',
      '../store/db/sql.ts',
      '../runtime/ids.ts',
      ...PROGRAMS,
    ],
  },
  {
    file: 'src/mail/case.ts',
    allowed: ['liquidjs', 'html-to-text', 'node:url', './render.ts', '../domain/errors.ts'],
    refused: [
      'postgres',
      '@aws-sdk/client-sesv2',
      '../store/db/sql.ts',
      '../runtime/ids.ts',
      ...PROGRAMS,
    ],
  },
  {
    file: 'src/net/case.ts',
    allowed: ['undici', 'node:dns/promises', './fetch.ts', '../domain/errors.ts'],
    refused: ['postgres', '@x/undici', '../store/db/sql.ts', '../mail/render.ts', ...PROGRAMS],
  },
  {
    file: 'src/keys/case.ts',
    allowed: ['node:crypto', '@node-rs/argon2', '../runtime/ids.ts', '../domain/errors.ts'],
    refused: ['postgres', '../store/db/sql.ts', '../mail/render.ts', ...PROGRAMS],
  },
  {
    file: 'src/runtime/case.ts',
    allowed: ['node:crypto', '../domain/errors.ts'],
    refused: ['uuid', '../store/db/sql.ts', '../keys/tokens.ts', ...PROGRAMS],
  },
  {
    file: 'src/text/case.ts',
    allowed: ['libphonenumber-js/min', 'luxon', 'tldts', '../domain/errors.ts'],
    refused: ['google-libphonenumber', '../keys/tokens.ts', '../store/db/sql.ts', ...PROGRAMS],
  },
  {
    file: 'src/client/case.ts',
    allowed: ['./schema.ts', 'openapi-fetch'],
    typesOnly: ['../schemas/batches/batch.ts', 'openapi-typescript'],
    // It runs in browsers, too.
    refused: ['../domain/batches/batch.ts', '../../api/app.ts', 'undici', 'node:http', ...PROGRAMS],
  },
  {
    file: 'src/console/lib/case.tsx',
    allowed: ['react', 'react-dom/client', '@base-ui/react/dialog', './pace.ts'].concat([
      '@tanstack/react-query',
      '../../client/index.ts',
      '../../domain/access/access.ts',
    ]),
    refused: ['node:fs', 'fastify', '../../runtime/ids.ts', '../../schemas/common.ts'].concat([
      '../../store/db/sql.ts',
      '../../../api/app.ts',
      '../../main/cli.ts',
    ]),
  },
  {
    file: 'src/loops/case.ts',
    allowed: [
      '@temporalio/client',
      'node:timers/promises',
      './loop.ts',
      '../domain/batches/batch.ts',
    ].concat(['../store/platform/outbox.ts', '../runtime/ids.ts', '../../workflows/contract.ts']),
    refused: [
      '../mail/render.ts',
      '../../workflows/index.ts',
      '@temporalio/worker',
      'fastify',
    ].concat(['../../activities/index.ts', '@aws-sdk/client-sesv2', ...PROGRAMS]),
  },
  {
    file: 'workflows/case.ts',
    allowed: ['@temporalio/workflow', './contract.ts', '../src/domain/batches/batch.ts'],
    typesOnly: ['../activities/index.ts', '../src/store/db/sql.ts'],
    refused: ['node:crypto', '@temporalio/client', '@temporalio/activity', 'typebox'].concat([
      '../src/runtime/ids.ts',
      '../src/schemas/batches/batch.ts',
      '../src/main/cli.ts',
      '../api/app.ts',
    ]),
  },
  {
    file: 'activities/case.ts',
    allowed: [
      '@temporalio/activity',
      'node:timers/promises',
      './calls.ts',
      '../src/core/batches/create-batch.ts',
    ].concat([
      '../src/domain/batches/batch.ts',
      '../src/schemas/batches/batch.ts',
      '../src/store/db/sql.ts',
      '../src/mail/render.ts',
      '../src/net/fetch.ts',
      '../src/keys/tokens.ts',
      '../src/runtime/ids.ts',
    ]),
    typesOnly: ['../workflows/contract.ts'],
    refused: [
      './aws/mailer.ts',
      '@aws-sdk/client-sesv2',
      '@temporalio/client',
      '@temporalio/workflow',
      'undici',
    ].concat([
      '../src/config.ts',
      '../src/loops/loop.ts',
      '../src/main/dev/ports.ts',
      '../src/main/cli.ts',
      '../api/app.ts',
      '../workflows/index.ts',
    ]),
  },
  {
    file: 'activities/flows/steps/case.ts',
    allowed: [
      '@temporalio/activity',
      'node:crypto',
      './step.ts',
      '../../batches/batch-mails.ts',
    ].concat([
      '../../../src/domain/flows/flow.ts',
      '../../../src/store/mails/enqueue-mails.ts',
      '../../../src/mail/render.ts',
      '../../../src/keys/tokens.ts',
      '../../../src/runtime/ids.ts',
    ]),
    refused: [
      'postgres',
      '@aws-sdk/client-sesv2',
      '../../aws/mailer.ts',
      '../../../src/config.ts',
    ].concat([
      '../../../api/app.ts',
      '../../../src/main/dev/postgres.ts',
      '../../../src/main/cli.ts',
    ]),
  },
  {
    file: 'activities/aws/case.ts',
    allowed: ['@aws-sdk/client-sesv2', '@smithy/protocol-http', 'undici', 'node:crypto'].concat([
      './mailer.ts',
      '../../src/domain/batches/batch.ts',
      '../../src/keys/tokens.ts',
    ]),
    typesOnly: ['../mailer.ts'],
    refused: ['postgres', '../../src/store/db/sql.ts', '../../src/mail/render.ts'].concat([
      '@temporalio/activity',
      '../../workflows/contract.ts',
      '../../tools/sandbox/plan.ts',
      '../../src/main/cli.ts',
    ]),
  },
  {
    file: 'api/case.ts',
    allowed: [
      'fastify',
      '@fastify/swagger',
      'typebox',
      'ajv',
      'ajv/dist/2020.js',
      'prom-client',
      'node:http',
    ].concat([
      '@temporalio/client',
      './http/errors.ts',
      './batches/routes/batches.ts',
      '../src/schemas/batches/batch.ts',
      '../src/store/db/sql.ts',
      '../src/mail/content.ts',
      '../src/keys/tokens.ts',
      '../src/keys/passwords.ts',
      '../workflows/contract.ts',
    ]),
    typesOnly: ['../workflows/send-batch.ts', '../workflows/confirm-topic.ts'],
    refused: [
      '@aws-sdk/client-sesv2',
      'undici',
      '@temporalio/worker',
      'postgres',
      'liquidjs',
    ].concat([
      '../activities/index.ts',
      '../src/config.ts',
      '../src/loops/loop.ts',
      '../src/main/dev/ports.ts',
      '../src/main/cli.ts',
      '../workflows/index.ts',
    ]),
  },
  {
    file: 'api/batches/routes/case.ts',
    allowed: [
      'fastify',
      '../../http/errors.ts',
      './batches.ts',
      '../../../src/store/batches/batches.ts',
    ].concat(['../../../workflows/contract.ts']),
    typesOnly: ['../../../workflows/send-batch.ts'],
    refused: [
      '@aws-sdk/client-sts',
      '../../../activities/index.ts',
      '../../../src/main/cli.ts',
    ].concat(['../../../src/main/dev/ports.ts', '../../../workflows/send-batch.ts']),
  },
  {
    file: 'api/http/edges/case.ts',
    allowed: ['fastify', 'ipaddr.js', '../metrics.ts', '../../../src/domain/errors.ts'],
    refused: ['undici', 'postgres', '../../../src/main/cli.ts', '../../../src/config.ts'],
  },
  {
    file: 'tools/sandbox/case.ts',
    allowed: ['postgres', './plan.ts', '../../src/store/db/sql.ts'],
    refused: ['../../src/main/cli.ts'],
  },
  {
    file: 'src/main/case.ts',
    allowed: ['./cli.ts', '../main/dev/ports.ts', '../../api/app.ts', '../../activities/index.ts'],
    refused: [],
  },
  {
    file: 'test/case.ts',
    allowed: ['../src/main/cli.ts', '../src/main/dev/ports.ts', 'fast-check'],
    refused: [],
  },
]

const STATEMENTS = [
  (from: string) => `import { x } from '${from}'\nexport const y = x\n`,
  (from: string) => `import * as x from '${from}'\nexport const y = x\n`,
  (from: string) => `import x, { type X } from '${from}'\nexport const y: X = x\n`,
  (from: string) => `export { x } from '${from}'\n`,
  (from: string) => `export * from '${from}'\n`,
  (from: string) => `import '${from}'\n`,
  (from: string) => `export const x = await import('${from}')\n`,
]
const TYPE_STATEMENTS = [
  (from: string) => `import type { X } from '${from}'\nexport type Y = X\n`,
  (from: string) => `export type { X } from '${from}'\n`,
]

const isRefused = (path: string, statement: string): boolean =>
  importsOf(path, statement).some((each) => !allows(path, each))

/** Every statement of these kinds that imports one of these. */
const written = (kinds: typeof STATEMENTS, names: readonly string[] = []): string[] =>
  names.flatMap((from) => kinds.map((statement) => statement(from)))

describe.each(CASES)('in $file', ({ file, allowed, typesOnly, refused }) => {
  test('what the law allows passes', () => {
    const statements = written([...STATEMENTS, ...TYPE_STATEMENTS], allowed)
    expect(statements.filter((each) => isRefused(file, each))).toEqual([])
  })

  test('what the law refuses is refused, however it is imported', () => {
    const statements = written(STATEMENTS, [...refused, ...(typesOnly ?? [])])
    expect(statements.filter((each) => !isRefused(file, each))).toEqual([])
  })

  test('types pass exactly where the law says so', () => {
    const known = written(TYPE_STATEMENTS, typesOnly)
    expect(known.filter((each) => isRefused(file, each))).toEqual([])
    const typesFree = LAW[floorOf(file) ?? '']?.knows?.includes('*')
    const unknown = refused.filter(
      (from) => !typesFree && !(file.startsWith('api/') && from.includes('/workflows/')),
    )
    const statements = written(TYPE_STATEMENTS, unknown)
    expect(statements.filter((each) => !isRefused(file, each))).toEqual([])
  })
})

const sources = trackedFiles()
  .filter((path) => /^(?:src|workflows|activities|api|tools)\/.*\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const imports = sources.flatMap(({ path, text }) =>
  importsOf(path, text).map((each) => ({ path, ...each })),
)

test('the cases name files that there are', () => {
  const named = CASES.flatMap(({ file, allowed, typesOnly = [], refused }) =>
    [...allowed, ...typesOnly, ...refused].flatMap((from) => targetOf(file, from) ?? []),
  )
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

describe('the tree', () => {
  test('there is something to look at', () => {
    expect(imports.length).toBeGreaterThan(1_000)
  })

  test('the law knows every folder that has code', () => {
    expect(sources.filter(({ path }) => floorOf(path) === undefined)).toEqual([])
  })

  test('every import is allowed by the law', () => {
    const wrong = imports.filter(({ path, ...each }) => !allows(path, each))
    expect(wrong.map(({ path, specifier }) => `${path} imports ${specifier}`)).toEqual([])
  })

  test('nothing of ours is loaded in another way than the law looks at', () => {
    const dynamic = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:import|require)\s*\(\s*(['"`]?[^\s)]*)/g)].map(([, from = '']) => ({
        path,
        from,
      })),
    )
    const wrong = dynamic.filter(
      ({ path, from }) =>
        !/^(?:src\/(?:main|dev)|tools)\//.test(path) &&
        // Lists of routes, which the law knows as files of the API.
        !(path === 'api/routes.ts' && from === '/*') &&
        // Pages and menus are loaded when somebody goes there.
        !(path.startsWith('src/console/') && /^'\.\.?\//.test(from)) &&
        // From sources a thread needs what strips their types, in a text that only it runs.
        !(path === 'src/mail/start-thread.ts' && /^\$\{(?:loader|source)\}$/.test(from)) &&
        // It instantiates its module as soon as it is loaded, with what stands there then.
        !(path === 'src/mail/mjml.ts' && from === "'mrml'"),
    )
    expect(wrong).toEqual([])
  })

  test('no file imports itself over others', () => {
    expect(circlesOf(runtimeGraph())).toEqual([])
  })

  test.each(['src/domain', 'src/schemas', 'src/store', 'src/core', 'activities', 'api'])(
    'the folders of %s import one another in one direction',
    (floor) => {
      expect(circlesOf(folderGraph(floor))).toEqual([])
    },
  )
})

type Graph = Map<string, Set<string>>

/** File → the files whose code it runs. */
function runtimeGraph(): Graph {
  const graph: Graph = new Map(sources.map(({ path }) => [path, new Set<string>()]))
  for (const { path, specifier, typesOnly } of imports) {
    const target = targetOf(path, specifier)
    if (target !== undefined && !typesOnly) graph.get(path)?.add(target)
  }
  return graph
}

/** Folder or file on a floor → those of its neighbours that it imports, types too. */
function folderGraph(floor: string): Graph {
  const room = (path: string) => path.slice(floor.length + 1).split('/')[0] ?? ''
  const graph: Graph = new Map()
  for (const { path, specifier } of imports) {
    const target = targetOf(path, specifier)
    if (!path.startsWith(`${floor}/`) || !target?.startsWith(`${floor}/`)) continue
    const neighbours = graph.get(room(path)) ?? new Set()
    if (room(path) !== room(target)) neighbours.add(room(target))
    graph.set(room(path), neighbours)
  }
  return graph
}

/** What can be reached from itself. */
function circlesOf(graph: Graph): string[] {
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>()
    const waiting = [...(graph.get(from) ?? [])]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...(graph.get(next) ?? []))
    }
    return seen
  }
  return [...graph.keys()].filter((each) => reach(each).has(each))
}
