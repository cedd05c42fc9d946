import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { PATTERN_WORDS } from '../../src/schemas/patterns.ts'

export interface Found {
  source: string
  flags: string
  files: string[]
}

/** Patterns that are made at run time cannot be read, so each of their files needs a reason. */
export interface Sources {
  found: Found[]
  /** Files with `new RegExp`. */
  making: string[]
}

/** Reads every literal of these files, and the patterns of schemas. */
export function readSources(files: readonly string[]): Sources {
  const byText = new Map<string, Found>()
  const making = new Set<string>()
  const add = (source: string, flags: string, file: string): void => {
    const text = `/${source}/${flags}`
    const known = byText.get(text) ?? { source, flags, files: [] }
    if (!known.files.includes(file)) known.files.push(file)
    byText.set(text, known)
  }
  for (const file of files) {
    visit(parseSync(file, readFileSync(file, 'utf8')).program, (node) => {
      const { regex, type, callee } = node
      if (isNode(regex)) add(String(regex['pattern']), String(regex['flags']), file)
      if (type === 'NewExpression' && isNode(callee) && callee['name'] === 'RegExp') {
        making.add(file)
      }
    })
  }
  for (const pattern of PATTERN_WORDS.keys()) add(pattern, 'u', 'src/schemas/patterns.ts')
  return { found: [...byText.values()], making: [...making] }
}

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

function visit(value: unknown, look: (node: Node) => void): void {
  if (!isNode(value)) return
  look(value)
  for (const child of Object.values(value)) visit(child, look)
}
