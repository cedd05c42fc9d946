import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root, trackedFiles } from './files.ts'
import { importsOf, targetOf } from './law.ts'

const WRITES = /\b(insert into|update \w+|delete from|merge into)\b/

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Returns the names of the exported functions of a file whose SQL writes. */
const writersOf = (path: string): string[] =>
  textOf(path)
    .split(/\nexport /)
    .filter((part) => WRITES.test(part))
    .map((part) => /^(?:async )?(?:function|const) (\w+)/.exec(part)?.[1])
    .filter((name) => name !== undefined)

/** Returns the functions of the store that a file calls and that write, as `file#function`. */
function writesOf(path: string): string[] {
  const text = textOf(path)
  const stores = importsOf(path, text)
    .filter(({ typesOnly }) => !typesOnly)
    .map(({ specifier }) => targetOf(path, specifier))
    .filter((target) => target?.startsWith('src/store/') === true)
  return stores.flatMap((store) =>
    writersOf(store!)
      .filter((name) => new RegExp(`\\.${name}\\(`).test(text))
      .map((name) => `${store}#${name}`),
  )
}

it('routes change rows by use cases, which also record who did it', () => {
  const routes = trackedFiles().filter((path) => /^api\/.*\/routes\/.*\.ts$/.test(path))
  expect(routes.length).toBeGreaterThan(50)
  expect(routes.flatMap(writesOf)).toEqual([])
})
