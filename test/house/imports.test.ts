import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'

/** Of each folder: what may be imported, what only its types, what not at all. */
interface Law {
  file: string
  allowed: string[]
  typesOnly?: string[]
  refused: string[]
}

/** Nobody but the programs and the tests runs these. */
const PROGRAMS = ['../main/cli.ts', '../dev/postgres.ts']

const LAWS: Law[] = [
  {
    file: 'src/domain/case.ts',
    allowed: ['./batch.ts', './flow/step.ts'],
    refused: ['node:crypto', 'crypto', 'fastify', '../ids.ts', '../store/sql.ts', ...PROGRAMS],
  },
  {
    file: 'src/schemas/case.ts',
    allowed: ['typebox', './batch.ts', '../domain/batch.ts'],
    refused: ['node:crypto', 'fastify', '@sinclair/typebox', 'typebox/value', '../store/sql.ts'],
  },
  {
    file: 'src/store/case.ts',
    allowed: ['postgres', 'node:crypto', 'node:fs/promises', './sql.ts', '../ids.ts'].concat([
      '../domain/batch.ts',
      '../schemas/batch.ts',
    ]),
    refused: [
      'pg',
      '../dev/postgres',
      '../mail/render.ts',
      '../tokens.ts',
      '../config.ts',
      '../loops/loop.ts',
    ].concat([
      '@temporalio/client',
      '../../api/app.ts',
      '../../workflows/contract.ts',
      ...PROGRAMS,
    ]),
  },
  {
    file: 'src/setup/case.ts',
    allowed: ['./policies.ts', '../domain/role.ts'],
    refused: ['node:crypto', '@aws-sdk/client-iam', '../store/sql.ts', '../ids.ts', ...PROGRAMS],
  },
  {
    file: 'src/mail/case.ts',
    allowed: ['liquidjs', 'html-to-text', 'node:url', './render.ts', '../domain/errors.ts'],
    refused: ['postgres', '@aws-sdk/client-sesv2', '../store/sql.ts', '../ids.ts', ...PROGRAMS],
  },
  {
    file: 'src/net/case.ts',
    allowed: ['undici', 'node:dns/promises', './fetch.ts', '../domain/errors.ts'],
    refused: ['postgres', '@x/undici', '../store/sql.ts', '../mail/render.ts', ...PROGRAMS],
  },
  {
    file: 'src/tokens.ts',
    allowed: ['node:crypto', './ids.ts', './domain/errors.ts'],
    refused: ['postgres', './store/sql.ts', './mail/render.ts', './main/cli.ts', './dev/ports.ts'],
  },
  {
    file: 'src/ids.ts',
    allowed: ['node:crypto', './domain/errors.ts'],
    refused: ['uuid', './store/sql.ts', './main/cli.ts'],
  },
  {
    file: 'src/passwords.ts',
    allowed: ['@node-rs/argon2', 'node:crypto', './domain/errors.ts'],
    refused: ['bcrypt', './tokens.ts', './store/sql.ts', './main/cli.ts'],
  },
  {
    file: 'src/phones.ts',
    allowed: ['libphonenumber-js/min'],
    refused: ['google-libphonenumber', './store/sql.ts', './main/cli.ts'],
  },
  {
    file: 'src/client/case.ts',
    allowed: ['./schema.ts', 'openapi-fetch'],
    typesOnly: ['../schemas/batch.ts', 'openapi-typescript'],
    // It runs in browsers, too.
    refused: ['../domain/batch.ts', '../../api/app.ts', 'undici', 'node:http', ...PROGRAMS],
  },
  {
    file: 'src/loops/case.ts',
    allowed: [
      '@temporalio/client',
      'node:timers/promises',
      './loop.ts',
      '../domain/batch.ts',
    ].concat(['../store/outbox.ts', '../ids.ts', '../../workflows/contract.ts']),
    refused: [
      '../mail/render.ts',
      '../../workflows/index.ts',
      '@temporalio/worker',
      'fastify',
    ].concat(['../../activities/index.ts', '@aws-sdk/client-sesv2', ...PROGRAMS]),
  },
  {
    file: 'workflows/case.ts',
    allowed: ['@temporalio/workflow', './contract.ts', '../src/domain/batch.ts'],
    typesOnly: ['../activities/index.ts', '../src/store/sql.ts'],
    refused: ['node:crypto', '@temporalio/client', '@temporalio/activity', 'typebox'].concat([
      '../src/ids.ts',
      '../src/schemas/batch.ts',
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
      './aws/mailer.ts',
    ].concat([
      '../src/domain/batch.ts',
      '../src/schemas/batch.ts',
      '../src/store/sql.ts',
      '../src/mail/render.ts',
      '../src/net/fetch.ts',
      '../src/tokens.ts',
      '../src/ids.ts',
    ]),
    typesOnly: ['../workflows/contract.ts'],
    refused: [
      '@aws-sdk/client-sesv2',
      '@temporalio/client',
      '@temporalio/workflow',
      'undici',
    ].concat([
      '../src/config.ts',
      '../src/loops/loop.ts',
      '../src/dev/ports.ts',
      '../src/main/cli.ts',
      '../api/app.ts',
      '../workflows/index.ts',
    ]),
  },
  {
    file: 'activities/steps/case.ts',
    allowed: ['@temporalio/activity', 'node:crypto', './step.ts', '../batch-mails.ts'].concat([
      '../../src/domain/flow.ts',
      '../../src/store/messages.ts',
      '../../src/mail/render.ts',
      '../../src/tokens.ts',
      '../../src/ids.ts',
    ]),
    refused: [
      'postgres',
      '@aws-sdk/client-sesv2',
      '../aws/mailer.ts',
      '../../src/config.ts',
    ].concat(['../../api/app.ts', '../../src/dev/postgres.ts', '../../src/main/cli.ts']),
  },
  {
    file: 'activities/aws/case.ts',
    allowed: ['@aws-sdk/client-sesv2', '@smithy/protocol-http', 'undici', 'node:crypto'].concat([
      './mailer.ts',
      '../../src/domain/batch.ts',
      '../../src/tokens.ts',
    ]),
    typesOnly: ['../mailer.ts'],
    refused: ['postgres', '../../src/store/sql.ts', '../../src/mail/render.ts'].concat([
      '@temporalio/activity',
      '../../workflows/contract.ts',
      '../../src/dev/sandbox/plan.ts',
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
      './errors.ts',
      './routes/batch.ts',
      '../src/schemas/batch.ts',
      '../src/store/sql.ts',
      '../src/mail/content.ts',
      '../src/tokens.ts',
      '../src/passwords.ts',
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
      '../src/dev/ports.ts',
      '../src/main/cli.ts',
      '../workflows/index.ts',
    ]),
  },
  {
    file: 'api/routes/case.ts',
    allowed: ['fastify', '../errors.ts', './batch.ts', '../../src/store/batches.ts'].concat([
      '../../workflows/contract.ts',
    ]),
    typesOnly: ['../../workflows/send-batch.ts'],
    refused: ['@aws-sdk/client-sts', '../../activities/index.ts', '../../src/main/cli.ts'].concat([
      '../../src/dev/ports.ts',
      '../../workflows/send-batch.ts',
    ]),
  },
  {
    file: 'api/edges/case.ts',
    allowed: ['fastify', 'ipaddr.js', '../metrics.ts', '../../src/domain/errors.ts'],
    refused: ['undici', 'postgres', '../../src/main/cli.ts', '../../src/config.ts'],
  },
  {
    file: 'src/dev/case.ts',
    allowed: ['fastify', '@aws-sdk/client-sesv2', '../store/sql.ts', './ports.ts', '../config.ts'],
    refused: ['../main/cli.ts', '../../src/main/cli.ts'],
  },
  {
    file: 'src/dev/sandbox/case.ts',
    allowed: ['postgres', '../ports.ts'],
    refused: ['../../main/cli.ts'],
  },
  {
    file: 'src/main/case.ts',
    allowed: ['./cli.ts', '../dev/ports.ts', '../../api/app.ts', '../../activities/index.ts'],
    refused: [],
  },
  {
    file: 'test/case.ts',
    allowed: ['../src/main/cli.ts', '../src/dev/ports.ts', 'fast-check'],
    refused: [],
  },
]

const STATEMENTS = [
  (from: string) => `import { x } from '${from}'\nexport const y = x\n`,
  (from: string) => `import * as x from '${from}'\nexport const y = x\n`,
  (from: string) => `export { x } from '${from}'\n`,
  (from: string) => `export * from '${from}'\n`,
  (from: string) => `import '${from}'\n`,
]
const TYPE_STATEMENT = (from: string) => `import type { X } from '${from}'\nexport type Y = X\n`

let folder: string
/** Files that the linter refused an import in. */
let refused: Set<string>
/** Case → the file it was written to. */
const files = new Map<string, string>()

const key = (law: Law, statement: string): string => `${law.file}: ${statement}`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letterloom-imports-'))
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  for (const law of LAWS) {
    const statements = [
      ...[...law.allowed, ...(law.typesOnly ?? []), ...law.refused].flatMap((from) =>
        STATEMENTS.map((statement) => statement(from)),
      ),
      ...[...(law.typesOnly ?? []), ...law.refused].map(TYPE_STATEMENT),
    ]
    for (const [index, statement] of statements.entries()) {
      // A file that the law names is itself only in a folder of its own.
      const named = /^src\/\w+\.ts$/.test(law.file)
      const path = named ? `${index}/${law.file}` : law.file.replace('case', `case-${index}`)
      files.set(key(law, statement), path)
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), statement)
      if (named)
        await copyFile(join(root, '.oxlintrc.json'), join(folder, `${index}/.oxlintrc.json`))
    }
  }
  refused = await lint('.')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The files under `path` with an import that the law refuses. */
async function lint(path: string): Promise<Set<string>> {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const args = [oxlint, '--format=json', path]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    maxBuffer: 2 ** 28,
  }).catch((failed: { stdout: string }) => failed)
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string }[]
  }
  return new Set(
    diagnostics
      .filter(({ code }) => code.includes('no-restricted-imports'))
      .map(({ filename }) => filename),
  )
}

const isRefused = (law: Law, statement: string): boolean =>
  refused.has(files.get(key(law, statement)) ?? 'never written')

describe.each(LAWS)('in $file', (law) => {
  test('what the law allows passes', () => {
    const wrong = law.allowed.flatMap((from) =>
      STATEMENTS.map((statement) => statement(from)).filter((each) => isRefused(law, each)),
    )
    expect(wrong).toEqual([])
  })

  test('what the law refuses is refused, however it is imported', () => {
    const wrong = [...law.refused, ...(law.typesOnly ?? [])].flatMap((from) =>
      STATEMENTS.map((statement) => statement(from)).filter((each) => !isRefused(law, each)),
    )
    expect(wrong).toEqual([])
  })

  test('types pass exactly where the law says so', () => {
    const typesFree = law.file.startsWith('workflows/') || law.file.startsWith('src/client/')
    const wrong = [
      ...(law.typesOnly ?? []).filter((from) => isRefused(law, TYPE_STATEMENT(from))),
      ...law.refused.filter((from) => {
        const free = typesFree || (law.file.startsWith('api/') && from.includes('/workflows/'))
        return !free && !isRefused(law, TYPE_STATEMENT(from))
      }),
    ]
    expect(wrong).toEqual([])
  })
})

const IMPORT = /(?:from\s*|import\s*\(?\s*|require\s*\(\s*)'([^'\n]+)'/g

/** Every specifier of every file in the folders that the law is about. */
async function specifiers(): Promise<{ path: string; from: string; text: string }[]> {
  const paths = trackedFiles().filter((path) =>
    /^(?:src|workflows|activities|api)\/.*\.ts$/.test(path),
  )
  const found = []
  for (const path of paths) {
    const text = await readFile(join(root, path), 'utf8')
    for (const [whole, from = ''] of text.matchAll(IMPORT)) found.push({ path, from, text: whole })
  }
  return found
}

describe('the tree', () => {
  test('the law knows every folder that has code', () => {
    const known = new Set(LAWS.map(({ file }) => dirname(file)))
    const folders = trackedFiles()
      .filter((path) => /^(?:src|workflows|activities|api)\/.*\.ts$/.test(path))
      .map((path) => dirname(path))
      .filter((path) => !path.startsWith('src/dev/'))
    expect([...new Set(folders)].filter((path) => !known.has(path))).toEqual([])
  })

  test('no path goes back through a folder it came from, which the patterns would not see', async () => {
    const wrong = (await specifiers()).filter(({ from }) => /[^./]\/+(?:\.\/|\.\.\/)/.test(from))
    expect(wrong).toEqual([])
  })

  test('nothing of ours is loaded in another way than the linter looks at', async () => {
    const dynamic = (await specifiers()).filter(
      ({ path, text }) => /^(?:import\s*\(|require)/.test(text) && !path.startsWith('src/dev/'),
    )
    const programs = dynamic.filter(({ path }) => path.startsWith('src/main/'))
    // From sources a thread needs what strips their types; nothing of ours is loaded by it.
    const threads = dynamic.filter(
      ({ path, from }) => path === 'src/mail/threads.ts' && from === 'tsx/esm/api',
    )
    const known = new Set([...programs, ...threads])
    expect(dynamic.filter((each) => !known.has(each))).toEqual([])
  })
})
