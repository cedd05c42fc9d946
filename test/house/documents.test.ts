import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'
import { importsOf, LAW, SHARED, targetOf } from './law.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const tracked = trackedFiles()
const pages = tracked
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: read(path) }))
const sources = tracked.filter((path) => /^(?:src|api|workflows|activities)\/.*\.ts$/.test(path))
const readme = read('README.md')

/** `path: what` of each page and each match, where it is wrong. */
const wrong = (find: (page: { path: string; text: string }) => string[]): string[] =>
  pages.flatMap((page) => find(page).map((each) => `${page.path}: ${each}`))

/** What is written as code: in backticks, and in blocks. */
const codeOf = (text: string): string[] => [
  ...[...text.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block = '']) => block),
  ...[...text.replaceAll(/^```\w*\n[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  ),
]

/** The cells of the rows of tables under a heading, without heads and rules. */
function rowsUnder(text: string, heading: string): string[][] {
  const [, rest = ''] = text.split(`\n${heading}\n`)
  const [section = ''] = rest.split(/\n## /)
  return section
    .split('\n')
    .filter((line, index, lines) => line.startsWith('| ') && !lines[index + 1]?.startsWith('|-'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
}

/** What stands in backticks. */
const quoted = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

test('a newcomer reads the README in a few minutes', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('every link to a file leads to one', () => {
  const broken = wrong(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(root, dirname(path), target))),
  )
  expect(broken).toEqual([])
})

test('every file and folder that is named is there', () => {
  // A test is run by the beginning of its path.
  const isThere = (name: string): boolean => tracked.some((path) => path.startsWith(name))
  const gone = wrong(({ text }) =>
    codeOf(text)
      .flatMap((code) => code.split(/[\s,"'()]+/))
      .map((word) => word.replace(/^\.\//, '').replace(/[.:;/]+$/, ''))
      .filter((word) =>
        /^(?:src|api|workflows|activities|migrations|test|tools|docs)\/[\w./-]+$/.test(word),
      )
      .filter((word) => !isThere(word)),
  )
  expect(gone).toEqual([])
})

test('every npm command is a script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const missing = wrong(({ text }) =>
    codeOf(text).flatMap((code) =>
      [...code.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g)]
        .map(([, run, short]) => run ?? short ?? '')
        .filter((name) => !(name in scripts)),
    ),
  )
  expect(missing).toEqual([])
})

test('every command of the program is one', () => {
  const commands = new Set(
    tracked
      .filter((path) => path.startsWith('src/main/'))
      .flatMap((path) => [...read(path).matchAll(/\.command\('([\w-]+)/g)])
      .map(([, name]) => name),
  )
  const missing = wrong(({ text }) =>
    codeOf(text).flatMap((code) =>
      [...code.matchAll(/(?<![\w/-])letterloom ([a-z][a-z-]*)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !commands.has(name)),
    ),
  )
  expect(missing).toEqual([])
})

test('no page is named that is not in the checkout', () => {
  const elsewhere = wrong(({ text }) => [
    ...(text.match(/\b(?:contract|specification|spec|architecture) \d+/gi) ?? []),
    ...(text.match(/\((?:contract|specification|spec)[,)]/gi) ?? []),
  ])
  expect(elsewhere).toEqual([])
})

test('the README says of each floor what the law says', () => {
  // Rooms that serve several floors are left out, and what may do anything.
  const isFloor = (floor: string): boolean =>
    ![...SHARED, 'tools', 'test'].includes(floor) && !/^src\/.*\.ts$/.test(floor)
  const said = rowsUnder(readme, '## Map')
    .filter(([name = '']) => name.includes('`') && quoted(name).some((each) => each in LAW))
    .map(([name = '', , imports = '']) => {
      const [runs = '', knows = ''] = imports.split('types of ')
      return [
        ...quoted(name),
        runs.includes('anything') ? ['*'] : quoted(runs).toSorted(),
        knows.includes('anything') ? ['*'] : quoted(knows).toSorted(),
      ]
    })
  const law = Object.entries(LAW)
    .filter(([floor]) => isFloor(floor) && floor !== 'workflows/contract.ts')
    .map(([floor, { runs, knows = [] }]) => [
      floor,
      runs.filter(isFloor).toSorted(),
      knows.filter(isFloor).toSorted(),
    ])
  const byName = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1)
  expect(said.toSorted(byName)).toEqual(law.toSorted(byName))
})

describe('where it is decided', () => {
  const rows = rowsUnder(readme, '## Where is it decided?')

  test('there are questions', () => {
    expect(rows.length).toBeGreaterThan(10)
  })

  test.each(rows)('%s', (_question, files = '', names = '') => {
    const texts = quoted(files).map((path) => (existsSync(join(root, path)) ? read(path) : ''))
    const isThere = (text: string, name: string): boolean =>
      new RegExp(`^(?:export )?(?:async )?(?:function|const|interface|type) ${name}\\b`, 'm').test(
        text,
      )
    const nowhere = quoted(names).filter((name) => !texts.some((text) => isThere(text, name)))
    expect(nowhere).toEqual([])
    const withoutName = quoted(files).filter(
      (_path, at) => !quoted(names).some((name) => isThere(texts[at] ?? '', name)),
    )
    expect(withoutName).toEqual([])
    expect(texts.length).toBeGreaterThan(0)
  })
})

test('the README says in which direction domains import one another', () => {
  const [, chain = ''] = readme.match(/^Core and store import one way: (.*)\.$/m) ?? []
  const levels = chain.split(' → ').map((names) => names.split(', '))
  const levelOf = (domain: string): number => levels.findIndex((names) => names.includes(domain))
  const upwards = sources.flatMap((path) => {
    const [, floor, from = ''] = /^src\/(core|store)\/(\w+)\//.exec(path) ?? []
    if (floor === undefined || levelOf(from) < 0) return []
    return importsOf(path, read(path)).flatMap(({ specifier }) => {
      const target = targetOf(path, specifier) ?? ''
      const [, to = from] = new RegExp(`^src/${floor}/(\\w+)/`).exec(target) ?? []
      const isDown = to === from || levelOf(to) < 0 || levelOf(to) > levelOf(from)
      return isDown ? [] : [`${path} imports ${target}`]
    })
  })
  expect(levels.flat().toSorted()).toEqual(
    rowsUnder(readme, '## Map')
      .flatMap(([name = '']) => quoted(name))
      .filter((name) =>
        ['core', 'store'].some((floor) =>
          tracked.some((path) => path.startsWith(`src/${floor}/${name}/`)),
        ),
      )
      .toSorted(),
  )
  expect(upwards).toEqual([])
})

test('every setting is in the page of settings, and no other', () => {
  const set = [
    ...read('src/config.ts').matchAll(
      /\b(?:text|port|list|seconds|url|arn|oneOf|matching)\(\s*'([A-Z0-9_]+)'/g,
    ),
  ].map(([, name = '']) => name)
  const page = read('docs/configuration.md')
  const told = ['## Programs', '## AWS', '## Development'].flatMap((heading) =>
    rowsUnder(page, heading).flatMap(([name = '']) => quoted(name)),
  )
  expect(told.toSorted()).toEqual([...new Set(set)].toSorted())
})

test('every metric that is named is measured', () => {
  const code = sources.map(read).join('\n')
  const missing = wrong(({ text }) =>
    (text.match(/\bletterloom_[a-z_]+_(?:seconds|total)\b/g) ?? []).filter(
      (name) => !code.includes(name.replace('letterloom_', '')),
    ),
  )
  expect(missing).toEqual([])
})

describe('decisions', () => {
  const decisions = pages.filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path))

  test('each has a number of its own and is in the index', () => {
    const numbers = decisions.map(({ path }) => path.slice('docs/decisions/'.length).slice(0, 4))
    expect(numbers).toEqual([...new Set(numbers)])
    const index = read('docs/decisions/README.md')
    const missing = decisions.filter(({ path, text }) => {
      const [name = ''] = path.split('/').slice(-1)
      const [title = ''] = text.split('\n')
      return !index.includes(`[${name.slice(0, 4)}](${name}) ${title.slice(2)}\n`)
    })
    expect(missing.map(({ path }) => path)).toEqual([])
  })
})
