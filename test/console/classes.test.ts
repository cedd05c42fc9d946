import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../src/console', import.meta.url))
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((name) =>
  join(ROOT, name),
)
const sources = new Map(
  files
    .filter((file) => /\.(?:css|tsx?)$/.test(file))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)

/** A file with everything that it imports, directly or not. Pages are loaded by themselves. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen
  seen.add(file)
  const source = sources.get(file) ?? ''
  for (const [, name] of source.matchAll(/(?:from|^import|^@import) ['"](\.[^'"]+)['"]/gm)) {
    loadedBy(join(dirname(file), name ?? ''), seen)
  }
  return seen
}

const classesIn = (css: string): Set<string> =>
  new Set([...css.matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name))

/** Class names in texts of `className`, such as `row` in `className={isOpen ? 'row' : ''}`. */
const classesOf = (source: string): string[] =>
  [...source.matchAll(/className=(?:"([^"]*)"|\{([^}]*)\})/g)].flatMap(([, text, code = '']) =>
    (text ?? [...code.matchAll(/['`]([^'`]*)['`]/g)].map(([, each]) => each).join(' '))
      .split(/\s+/)
      .filter((name) => /^[a-z][a-z0-9-]*$/.test(name)),
  )

/** Style sheets that every page has. */
const first = new Set(
  ['main.tsx', 'shell/shell.tsx'].flatMap((name) => [...loadedBy(join(ROOT, name))]),
)
const sheets = [...sources].filter(([file]) => file.endsWith('.css'))
const styled = new Map(sheets.map(([file, source]) => [file, classesIn(source)]))

test('a class is styled by a sheet that comes with its component, or with the pages beside it', () => {
  const faults = [...sources]
    .filter(([file]) => file.endsWith('.tsx'))
    .flatMap(([file, source]) => {
      const loaded = loadedBy(file)
      return classesOf(source).flatMap((name) => {
        const places = sheets
          .map(([sheet]) => sheet)
          .filter((sheet) => styled.get(sheet)?.has(name))
        const isThere = places.some(
          (sheet) => first.has(sheet) || loaded.has(sheet) || dirname(sheet) === dirname(file),
        )
        const elsewhere = places.map((sheet) => relative(ROOT, sheet)).join(' ')
        return isThere || places.length === 0
          ? []
          : [`${relative(ROOT, file)}: ${name} of ${elsewhere}`]
      })
    })
  expect(styled.size).toBeGreaterThan(20)
  expect(faults).toEqual([])
})
