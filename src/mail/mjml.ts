import { createRequire } from 'node:module'
import type { Engine } from 'mrml'
import { badRequest } from '../domain/errors.ts'
import { tokensOf } from './html-tokens.ts'
import { isTag, MARK, mark, unmark } from './marks.ts'
import { checkDepth } from './text.ts'
import { boundedModule } from './wasm.ts'

/** The compiler drops elements that it does not know, with all that is in them. */
const ELEMENTS = new Set(
  `mjml mj-accordion mj-accordion-element mj-accordion-text mj-accordion-title mj-all mj-attributes
  mj-body mj-breakpoint mj-button mj-carousel mj-carousel-image mj-class mj-column mj-divider mj-font
  mj-group mj-head mj-hero mj-image mj-navbar mj-navbar-link mj-preview mj-raw mj-section mj-social
  mj-social-element mj-spacer mj-style mj-table mj-text mj-title mj-wrapper`.split(/\s+/),
)
/** Elements that are told of in one refusal. */
const MOST_TOLD = 10

/** How the compiler writes a mark in an attribute. */
const ESCAPED = /\\u\{e000\}(\d+)\\u\{e001\}/g

let engine: Engine | undefined

/**
 * Compiles MJML to HTML with its Liquid in place. Throws BAD_REQUEST where `path` is not MJML, has
 * elements that nobody knows, or includes a file; a RangeError when it is nested too deep.
 *
 * It runs in WebAssembly, which reaches neither files nor the network.
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
  const kept = Array.from(content.matchAll(MARK), ([, index]) => Number(index))
  const tags = kept.filter((index) => isTag(liquid[index]))
  const wanted = [...liquid.keys()].filter((index) => isTag(liquid[index]))
  const lost = wanted.find((index, at) => tags[at] !== index)
  if (lost !== undefined || tags.length !== wanted.length) {
    const piece = liquid[lost ?? tags[wanted.length] ?? 0] ?? ''
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

/** Where a text ends, from 1: ` (line 3, column 7)`. */
function placeAt(before: string): string {
  const lines = before.split('\n')
  return ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`
}

/** The beginning of a text: the compiler counts bytes. */
const cutAt = (text: string, bytes: number): string =>
  Buffer.from(text).subarray(0, bytes).toString()

/**
 * The compiler loads and instantiates its module itself, as soon as it is required. It is given
 * one whose memory is bounded.
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
