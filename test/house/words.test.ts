import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'
import { BANNED } from './words.ts'

/** Written by tools, recorded runs of released versions, and the list itself. */
const NOT_OURS =
  /(?:^|\/)package-lock\.json$|^test\/(?:histories\/|house\/words)|\.(?:sum|mod|png)$|SHA256SUMS$/

const files = trackedFiles()
  .filter((path) => !NOT_OURS.test(path))
  .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }))

test.each(BANNED)('$pattern: say $say', ({ pattern, where = /./ }) => {
  const found = files
    .filter(({ path }) => where.test(path))
    .flatMap(({ path, lines }) => [
      ...(pattern.test(path) ? [path] : []),
      ...lines.flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 100)}`] : [],
      ),
    ])
  expect(found).toEqual([])
})

test('a word is looked for in file names, too', () => {
  expect(BANNED.some(({ pattern }) => pattern.test('src/store/mails/outlet.ts'))).toBe(true)
})
