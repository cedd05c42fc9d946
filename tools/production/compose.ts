import { readFileSync } from 'node:fs'

/** What this project reads of a compose file. */
export interface ComposeFile {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
}

export interface Service {
  image: string
  entrypoint?: string[]
  command?: string[]
  restart?: string
  depends_on?: Record<string, { condition: string }>
  /** A null is passed on from the outside, if it is set there. */
  environment?: Record<string, string | null>
  healthcheck?: { test: string[] }
  ports?: string[]
  networks: string[]
  volumes?: string[]
}

type Yaml = string | boolean | null | Yaml[] | { [key: string]: Yaml }

interface Line {
  number: number
  indent: number
  text: string
}

/** The compose file at `path`, anchors and merges resolved, variables as they stand there. */
export function readComposeFile(path: string | URL): ComposeFile {
  return parseYaml(readFileSync(path, 'utf8')) as unknown as ComposeFile
}

/**
 * Reads the part of YAML that docker-compose.yml is written in: nested maps and lists of scalars in
 * block style, comments, quotes, anchors, aliases and `<<`. Throws at anything else, so that
 * nothing is read in another way than Docker reads it.
 */
export function parseYaml(source: string): Yaml {
  const lines = source.split('\n').flatMap((line, index): Line[] => {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) return []
    return [{ number: index + 1, indent: line.length - line.trimStart().length, text }]
  })
  const anchors = new Map<string, Yaml>()
  let at = 0

  const value = readBlock(0)
  const rest = lines[at]
  if (rest) throw problem(rest, 'is indented in a way that fits nothing')
  return value

  function readBlock(indent: number): Yaml {
    return lines[at]?.text.startsWith('- ') ? readList(indent) : readMap(indent)
  }

  function readList(indent: number): Yaml[] {
    const list: Yaml[] = []
    for (let line = lines[at]; line?.indent === indent; line = lines[at]) {
      if (!line.text.startsWith('- ')) throw problem(line, 'is no item of the list above')
      const item = line.text.slice(2)
      if (/^[\w.-]+:(\s|$)/.test(item)) throw problem(line, 'is a map in a list')
      list.push(scalar(line, item))
      at++
    }
    return list
  }

  function readMap(indent: number): Yaml {
    const map: { [key: string]: Yaml } = {}
    const merged: { [key: string]: Yaml } = {}
    for (let line = lines[at]; line?.indent === indent; line = lines[at]) {
      const [, key, text] = /^([\w.<-]+):(?:\s+(.*))?$/.exec(line.text) ?? []
      if (key === undefined) throw problem(line, 'is not `key: value`')
      if (Object.hasOwn(map, key)) throw problem(line, 'is there twice')
      at++
      const found = readValue(line, text ?? '')
      if (key === '<<') Object.assign(merged, found)
      else map[key] = found
    }
    return { ...merged, ...map }
  }

  function readValue(line: Line, text: string): Yaml {
    const [, anchor, after] = /^&([\w-]+)\s*(.*)$/.exec(text) ?? []
    const inline = withoutComment(after ?? text)
    const next = lines[at]
    let found: Yaml
    if (inline !== '') found = scalar(line, inline)
    else if (next && next.indent > line.indent) found = readBlock(next.indent)
    else found = null
    if (anchor !== undefined) anchors.set(anchor, found)
    return found
  }

  function scalar(line: Line, written: string): Yaml {
    const text = withoutComment(written)
    if (text === '{}') return {}
    if (text.startsWith('*')) {
      const found = anchors.get(text.slice(1))
      if (found === undefined) throw problem(line, 'names an anchor that is not above it')
      return found
    }
    if (/^"[^"\\]*"$/.test(text) || /^'[^']*'$/.test(text)) return text.slice(1, -1)
    if (/^["'[\]{}|>&!%@`]/.test(text) || text.includes(': ')) {
      throw problem(line, 'is YAML that this reader does not know')
    }
    return text === 'true' || text === 'false' ? text === 'true' : text
  }

  function problem({ number, text }: Line, what: string): Error {
    return new Error(`Line ${number} ${what}: ${text}`)
  }
}

const withoutComment = (text: string): string =>
  /^["']/.test(text) ? text : text.replace(/(^|\s)#.*$/, '').trim()

const VARIABLE = /\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}/g

/** The names of the variables in a text, and whether one must be there. */
export const variablesOf = (text: string): { name: string; required: boolean }[] =>
  [...text.matchAll(VARIABLE)].map(([, name = '', operator]) => ({
    name,
    required: operator === ':?',
  }))

/** Puts the values of `variables` in, as Compose does. Throws where a required one is missing. */
export function interpolate(text: string, variables: Record<string, string>): string {
  return text.replaceAll(VARIABLE, (_, name: string, operator?: string, argument?: string) => {
    const value = variables[name]
    if (value !== undefined && value !== '') return value
    if (operator === ':?') throw new Error(`${name} ${argument}`)
    return operator === ':-' ? (argument ?? '') : ''
  })
}

/** What a container of this service finds in its environment. */
export function environmentOf(
  service: Service,
  variables: Record<string, string>,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, text] of Object.entries(service.environment ?? {})) {
    const value = text === null ? variables[name] : interpolate(text, variables)
    if (value !== undefined) environment[name] = value
  }
  return environment
}
