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

const entry = Object.keys(manifest).find((name) => manifest[name]!.isEntry) ?? ''
const first = new Set([...filesOf(entry), ...filesOf('overview/overview.tsx')])
const pages = Object.keys(manifest).filter((name) => manifest[name]!.isDynamicEntry)

test('the overview is there after few bytes', () => {
  expect(sum(scriptsOf(first))).toBeGreaterThan(80 * KB)
  expect(sum(scriptsOf(first))).toBeLessThanOrEqual(FIRST_SCRIPT)
  expect(sum(stylesOf(first))).toBeLessThanOrEqual(FIRST_STYLE)
})

test('every other page adds little', () => {
  expect(pages.length).toBeGreaterThan(4)
  const heavy = pages
    .map((page) => ({
      page,
      bytes: sum(scriptsOf([...filesOf(page)].filter((name) => !first.has(name)))),
    }))
    .filter(({ bytes }) => bytes > PAGE)
  expect(heavy).toEqual([])
})

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
