import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONSOLE_FOLDER } from '../support/console.ts'

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
  isEntry?: boolean
  isDynamicEntry?: boolean
}

const manifest = JSON.parse(
  readFileSync(join(CONSOLE_FOLDER, '.vite/manifest.json'), 'utf8'),
) as Record<string, Chunk>

const KB = 1_000
/** Most bytes that are loaded, compressed by gzip. */
const FIRST_SCRIPT = 175 * KB
const FIRST_STYLE = 12 * KB
/** Of one more page: its own files and what it shares with others but the first. */
const PAGE = 35 * KB

const sizeOf = (file: string): number => statSync(join(CONSOLE_FOLDER, `${file}.gz`)).size

/** Everything that a part of the console needs before it runs, with the parts that it names. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk || seen.has(name)) return seen
  seen.add(name)
  for (const each of chunk.imports ?? []) filesOf(each, seen)
  return seen
}
const scriptsOf = (names: Iterable<string>) => [...names].map((name) => manifest[name]!.file)
const stylesOf = (names: Iterable<string>) => [
  ...new Set([...names].flatMap((name) => manifest[name]!.css ?? [])),
]
const sum = (files: readonly string[]): number => files.reduce((all, file) => all + sizeOf(file), 0)

/** Heavy parts, each loaded by its page once somebody needs it: its page, and the most it adds. */
const PARTS: Record<string, { page: string; most: number }> = {
  'ui/code-editor.tsx': { page: 'content/template.tsx', most: 210 * KB },
  'flows/flow-map.tsx': { page: 'flows/workflow.tsx', most: 70 * KB },
}

const entry = Object.keys(manifest).find((name) => manifest[name]!.isEntry) ?? ''
const first = new Set([...filesOf(entry), ...filesOf('overview/overview.tsx')])
/** The menus of the shell come after the first page, before anybody is on another one. */
const shell = new Set([...first, ...filesOf('shell/account-menu.tsx')])
const pages = Object.keys(manifest).filter((name) => manifest[name]!.isDynamicEntry)

test('the overview is there after few bytes', () => {
  expect(sum(scriptsOf(first))).toBeGreaterThan(80 * KB)
  expect(sum(scriptsOf(first))).toBeLessThanOrEqual(FIRST_SCRIPT)
  expect(sum(stylesOf(first))).toBeLessThanOrEqual(FIRST_STYLE)
})

test('every other page adds little', () => {
  expect(pages.length).toBeGreaterThan(4)
  const heavy = pages
    .filter((page) => !first.has(page) && !(page in PARTS) && page !== 'shell/account-menu.tsx')
    .map((page) => ({ page, bytes: addedBy(page, pageOf(page)) }))
    .filter(({ bytes }) => bytes > PAGE)
  expect(heavy).toEqual([])
})

test.each(Object.entries(PARTS))('%s is loaded once somebody needs it', (part, { page, most }) => {
  expect(pages).toContain(part)
  expect(addedBy(part, new Set([...shell, ...filesOf(page)]))).toBeLessThanOrEqual(most)
  expect(filesOf(page).has(part)).toBe(false)
})

/** What is there already when a page or a part of one is loaded. */
const pageOf = (name: string): ReadonlySet<string> =>
  name === 'flows/add-menu.tsx' ? new Set([...shell, ...filesOf('flows/edit-workflow.tsx')]) : shell

/** Bytes of the scripts that are not there yet. */
const addedBy = (name: string, loaded: ReadonlySet<string>): number =>
  sum(scriptsOf([...filesOf(name)].filter((each) => !loaded.has(each))))

test('no package is loaded in two versions', () => {
  const lock = JSON.parse(
    readFileSync(join(CONSOLE_FOLDER, '../../package-lock.json'), 'utf8'),
  ) as { packages: Record<string, unknown> }
  const nested = Object.keys(lock.packages).filter((path) =>
    /node_modules\/(?:react|react-dom|@tanstack\/[\w-]+|@base-ui\/react)\/node_modules\//.test(
      path,
    ),
  )
  const twice = nested.filter((path) => /\/(?:react|react-dom|use-sync-external-store)$/.test(path))
  expect(twice).toEqual([])
})
