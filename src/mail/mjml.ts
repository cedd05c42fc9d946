import { createRequire } from 'node:module'
import type { Engine } from 'mrml'
import { badRequest } from '../domain/errors.ts'
import { tokensOf } from './html-tokens.ts'
import { isTag, MARK, mark, unmark } from './marks.ts'
import { checkDepth } from './text.ts'
import { boundedModule } from './wasm.ts'

/** Known elements. The compiler silently drops unknown ones with their content. */
const ELEMENTS = new Set(
  `mjml mj-accordion mj-accordion-element mj-accordion-text mj-accordion-title mj-all mj-attributes
  mj-body mj-breakpoint mj-button mj-carousel mj-carousel-image mj-class mj-column mj-divider mj-font
  mj-group mj-head mj-hero mj-image mj-navbar mj-navbar-link mj-preview mj-raw mj-section mj-social
  mj-social-element mj-spacer mj-style mj-table mj-text mj-title mj-wrapper`.split(/\s+/),
)
const MOST_TOLD = 10

const ESCAPED = /\\u\{e000\}(\d+)\\u\{e001\}/g

let engine: Engine | undefined

/**
 * Compiles MJML to HTML and keeps its Liquid. Throws BAD_REQUEST if `path` is not MJML, has unknown
 * elements or includes a file, and a RangeError if it is nested too deep.
 *
 * The compiler runs in WebAssembly, which reaches neither files nor the network.
 */
export function compileMjml(source: string, path: string): string {
  const { marked, liquid } = mark(source)
  checkDepth(marked)
  const original = (text: string): string => unmark(text, liquid)
  refuseUnknown(marked, path, original)
  engine ??= loadEngine()
  const compiled = engine.toHtml(marked)
  if (compiled.type === 'error') {
    const { message } = compiled
    const at = /at position (\d+):\d+$/.exec(message)?.[1]
    const place = at === undefined ? '' : placeAt(original(cutAt(marked, Number(at))))
    const what = message
      .replace(/ in root template.*$/, '')
      .replace(/ next template$/, ' an element')
    throw refusal(path, `is not valid MJML: ${what}${place}`)
  }
  const content = compiled.content.replace(ESCAPED, '\uE000$1\uE001')
  const keptIndexes = Array.from(content.matchAll(MARK), ([, index]) => Number(index))
  const tags = keptIndexes.filter((index) => isTag(liquid[index]))
  const tagIndexes = [...liquid.keys()].filter((index) => isTag(liquid[index]))
  const lost = tagIndexes.find((index, at) => tags[at] !== index)
  if (lost !== undefined || tags.length !== tagIndexes.length) {
    const piece = liquid[lost ?? tags[tagIndexes.length] ?? 0] ?? ''
    throw refusal(path, `has Liquid where MJML keeps none: put ${piece} between elements`)
  }
  return original(content)
}

function refuseUnknown(marked: string, path: string, original: (text: string) => string): void {
  const problems: string[] = []
  let at = 0
  for (const { kind, name, text } of tokensOf(marked)) {
    const isOurs = kind === 'start' && (name === 'mjml' || name.startsWith('mj-'))
    if (isOurs && !ELEMENTS.has(name) && problems.length < MOST_TOLD) {
      const message = name === 'mj-include' ? 'includes a file' : `has an unknown element ${name}`
      problems.push(`${message}${placeAt(original(marked.slice(0, at)))}`)
    }
    at += text.length
  }
  if (problems.length > 0) throw refusal(path, ...problems)
}

const refusal = (path: string, ...messages: string[]) =>
  badRequest(
    'The content cannot be used',
    messages.map((message) => ({ path, message })),
  )

function placeAt(before: string): string {
  const lines = before.split('\n')
  return ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`
}

const cutAt = (text: string, bytes: number): string =>
  Buffer.from(text).subarray(0, bytes).toString()

/**
 * Loads the compiler with a module of bounded memory. On its own it would load an unbounded one as
 * soon as it is required.
 */
function loadEngine(): Engine {
  const require = createRequire(import.meta.url)
  const path = require.resolve('mrml').replace(/\.js$/, '_bg.wasm')
  const { Module } = WebAssembly
  const bounded = boundedModule(path)
  Reflect.set(WebAssembly, 'Module', function given(): object {
    return bounded
  })
  try {
    const { Engine: Made }: typeof import('mrml') = require('mrml')
    return new Made()
  } finally {
    WebAssembly.Module = Module
  }
}
