import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './files.ts'

interface Line {
  path: string
  /** From 1. */
  number: number
  text: string
}

/** Written by tools, or in the notation of another house. */
const FOREIGN =
  /(?:^|\/)package-lock\.json$|^(?:test\/histories\/|src\/client\/schema\.ts$)|\.(?:go|mod|sum)$|SHA256SUMS$|^test\/tools\/fixtures\//
const OURS = /^(?:src|api|workflows|activities)\/.*\.tsx?$/
const TYPESCRIPT = /\.tsx?$/
const TESTS = /^test\/.*\.ts$/

/** Tracked text files by path, whole. Read once: every rule looks at them. */
const files = new Map(
  trackedFiles()
    .map((path): [string, string] => [path, readFileSync(join(root, path), 'utf8')])
    .filter(([, text]) => !text.includes('\0')),
)

const pathsOf = (kind: RegExp): string[] => [...files.keys()].filter((path) => kind.test(path))

const linesOf = (kind: RegExp): Line[] =>
  [...files]
    .filter(([path]) => kind.test(path) && !FOREIGN.test(path))
    .flatMap(([path, text]) =>
      text.split('\n').map((line, index) => ({ path, number: index + 1, text: line })),
    )

/** `path:line: text` of the lines that break a rule; the rule holds when there are none. */
const show = (lines: Line[]): string[] =>
  lines.map(({ path, number, text }) => `${path}:${number}: ${text.trim().slice(0, 120)}`)

const matching = (kind: RegExp, wrong: RegExp): string[] =>
  show(linesOf(kind).filter(({ text }) => wrong.test(text)))

test('there is something to look at', () => {
  expect(files.has('package.json')).toBe(true)
  expect(pathsOf(OURS).length).toBeGreaterThan(50)
})

test('no tabs', () => {
  expect(matching(/./, /\t/)).toEqual([])
})

test('no blanks at the end of a line, no carriage returns', () => {
  expect(matching(/./, /[ \r]$/)).toEqual([])
})

test('every file ends with one line break', () => {
  const wrong = [...files].filter(
    ([path, text]) => text !== '' && !FOREIGN.test(path) && !/[^\n]\n$/.test(text),
  )
  expect(wrong.map(([path]) => path)).toEqual([])
})

test('comments have at most 100 characters a line', () => {
  // Code is the formatter's: what it leaves longer is a text, an address or SQL that cannot be
  // broken.
  const comment = /^\s*(?:\* |\/\/|\/\*)/
  const wrong = linesOf(TYPESCRIPT).filter(
    ({ text }) => comment.test(text) && Array.from(text).length > 100 && !text.includes('://'),
  )
  expect(show(wrong)).toEqual([])
})

test('nothing is left to be done', () => {
  expect(matching(/./, /\b(?:TO[D]O|FIX[M]E|XX[X])\b/)).toEqual([])
})

test('no test is left out, none runs alone', () => {
  expect(matching(TESTS, /\b(?:test|it|describe)\.(?:on[l]y|sk[i]p|to[d]o)\b/)).toEqual([])
})

test('no path of anybody’s machine is in any file', () => {
  // Ann is in examples.
  expect(
    matching(/./, /(?<![\w.}~*])\/(?:wor[k]|roo[t]|hom[e]\/(?!ann\/)\w+|User[s]\/\w+)\//),
  ).toEqual([])
})

test('the lock file names no registry, so that anybody’s serves', () => {
  for (const path of ['package-lock.json', 'tools/client/package-lock.json']) {
    expect(files.get(path)).not.toMatch(/"resolved": "http/)
  }
  expect(files.get('.npmrc') ?? '').not.toMatch(/registry/)
})

test('file names are kebab-case', () => {
  const conventional =
    /^(?:(?:README|CHANGELOG|LICENSE|SHA256SUMS|Dockerfile)(?:\.md)?|Chart\.yaml)$/
  const wrong = [...files.keys()].filter(
    (path) =>
      !path
        .split('/')
        .every((name) => conventional.test(name) || /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name)),
  )
  // A migration's number comes before an underscore.
  expect(wrong.filter((path) => !/^migrations\/\d{4}_[a-z0-9-]+\.sql$/.test(path))).toEqual([])
})

test('every test asserts', () => {
  const silent = pathsOf(/^test\/.*\.test\.ts$/).flatMap((path) => {
    const text = files.get(path) ?? ''
    const asserts = new RegExp(`\\b(?:${[...assertingHelpers(text)].join('|')})\\b`)
    return testsOf(text)
      .filter(({ body }) => !asserts.test(body))
      .map(({ name }) => `${path}: ${name}`)
  })
  expect(silent).toEqual([])
})

/** `expect`, and the functions of a file that call it or one another. */
function assertingHelpers(text: string): Set<string> {
  const found = new Set(['expect', 'assert'])
  const helpers = text.split(/^(?=(?:async )?(?:function|const) )/m).flatMap((body) => {
    const [, name] = /^(?:async )?(?:function|const) (\w+)/.exec(body) ?? []
    return name === undefined ? [] : [{ name, body }]
  })
  for (let size = 0; size < found.size; ) {
    size = found.size
    const asserts = new RegExp(`\\b(?:${[...found].join('|')})\\b`)
    for (const { name, body } of helpers) if (asserts.test(body)) found.add(name)
  }
  return found
}

/** The tests of a file as the formatter lays them out: down to the last bracket at their indent. */
function testsOf(text: string): { name: string; body: string }[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const [, indent] = /^( *)(?:test|it)(?:\.each|\(|\.)/.exec(line) ?? []
    if (indent === undefined) return []
    // A table has two: `])(name, (row) => {`, then `})` or, with a time limit, `}, 60_000)`.
    const last = new RegExp(`^${indent}(?:\\)|\\}\\)|\\}, [\\w]+\\))$`)
    const end = lines.findIndex((each, index) => index > start && last.test(each))
    return [{ name: line.trim(), body: lines.slice(start, Math.max(end, start) + 1).join('\n') }]
  })
}

test('the environment is read in one place', () => {
  const elsewhere = matching(OURS, /\bprocess\.en[v]\b|from '(?:node:)?process'/)
  expect(elsewhere.filter((line) => !line.startsWith('src/config.ts:'))).toEqual([])
})

test('SQL is in the store, the migrations and the development servers', () => {
  const statement =
    /\bsql(?:<.*>)?`|\b(?:tx|sql|admin)\.unsafe\(|^\s*(?:select|insert into|update|delete from) \w/
  const elsewhere = matching(OURS, statement)
  expect(elsewhere.filter((line) => !/^src\/(?:store|main\/dev)\//.test(line))).toEqual([])
})
