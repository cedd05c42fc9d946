import { Output, type TagToken, type Template, Tokenizer } from 'liquidjs'
import { engines, parse, type Syntax } from './liquid.ts'

/**
 * A piece of a part whose Liquid is plain: outputs of values through known filters, assignments,
 * and conditions that compare values. LiquidJS evaluates each of them by itself.
 */
export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; output: Output; source: string }
  | { kind: 'assignment'; tag: Template }
  /** `choice` prints the index of the branch that is taken, or nothing. */
  | { kind: 'branches'; choice: Template; branches: readonly Node[][] }

/** More Liquid than this is not plain, since its evaluation would hold the process up. */
const MOST_PIECES = 500
const MOST_LIQUID_LENGTH = 20_000

const NAME = String.raw`[A-Za-z_]\w*`
const PATH = String.raw`${NAME}(?:\.${NAME})*`
const QUOTED = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'`
const OPERAND = String.raw`(?:${QUOTED}|-?\d+(?:\.\d+)?|${PATH})`
/** Filters that take linear time and read nothing but their input. */
const FILTERS =
  'abs|append|capitalize|ceil|default|divided_by|downcase|escape|floor|minus|modulo|plus|prepend|round|strip|times|truncate|upcase|url_encode'
const FILTER = String.raw`\s*\|\s*(?:${FILTERS})(?:\s*:\s*${OPERAND}(?:\s*,\s*${OPERAND})*)?`
const VALUE = String.raw`\s*${PATH}(?:${FILTER})*\s*`
const TERM = String.raw`${OPERAND}(?:\s*(?:==|!=|>=|<=|>|<)\s*${OPERAND})?`

const PLAIN_OUTPUT = new RegExp(String.raw`^\{\{-?${VALUE}-?\}\}$`, 's')
const PLAIN_ASSIGNMENT = new RegExp(String.raw`^\s*${NAME}\s*=${VALUE}$`, 's')
const PLAIN_CONDITION = new RegExp(String.raw`^\s*${TERM}(?:\s+(?:and|or)\s+${TERM})*\s*$`, 's')

interface Block {
  name: string
  /** The tags alone, each with the index of its branch behind it. */
  source: string
  branches: Node[][]
}

/** Returns the nodes of a part. Undefined: something in it is not plain. */
export function treeOf(syntax: Syntax, source: string): Node[] | undefined {
  if (source.split(/\{[{%]/).length > MOST_PIECES) return undefined
  const root: Node[] = []
  const blocks: Block[] = []
  let liquidLength = 0
  for (const token of new Tokenizer(source).readTopLevelTokens(engines[syntax].options)) {
    const nodes = blocks.at(-1)?.branches.at(-1) ?? root
    if ('getContent' in token) {
      nodes.push({ kind: 'text', text: token.getContent() })
      continue
    }
    liquidLength += token.size()
    if (liquidLength > MOST_LIQUID_LENGTH) return undefined
    const isPlain =
      'name' in token
        ? addTag(syntax, token, nodes, blocks, root)
        : addOutput(syntax, token.getText(), nodes)
    if (!isPlain) return undefined
  }
  return blocks.length === 0 ? root : undefined
}

function addOutput(syntax: Syntax, source: string, nodes: Node[]): boolean {
  if (!PLAIN_OUTPUT.test(source)) return false
  const [output] = parse(syntax, source)
  if (!(output instanceof Output)) return false
  nodes.push({ kind: 'output', output, source })
  return true
}

/** Adds a tag to `nodes`, or to the innermost block. Returns false if it is not plain. */
function addTag(
  syntax: Syntax,
  { name, args }: TagToken,
  nodes: Node[],
  blocks: Block[],
  root: Node[],
): boolean {
  const block = blocks.at(-1)
  switch (name) {
    case 'assign': {
      const [tag] = PLAIN_ASSIGNMENT.test(args) ? parse(syntax, `{% assign ${args} %}`) : []
      if (tag) nodes.push({ kind: 'assignment', tag })
      return tag !== undefined
    }
    case 'if':
    case 'unless':
      blocks.push({ name, source: `{% ${name} ${args} %}0`, branches: [[]] })
      return PLAIN_CONDITION.test(args)
    case 'elsif':
    case 'else':
      if (!block) return false
      block.source += `{% ${name} ${args} %}${block.branches.push([]) - 1}`
      return name === 'else' ? args === '' : PLAIN_CONDITION.test(args)
    case 'endif':
    case 'endunless': {
      if (name !== `end${block?.name}` || args !== '') return false
      const { source, branches } = blocks.pop() ?? { source: '', branches: [] }
      const [choice] = parse(syntax, `${source}{% ${name} %}`)
      const outer = blocks.at(-1)?.branches.at(-1) ?? root
      if (choice) outer.push({ kind: 'branches', choice, branches })
      return choice !== undefined
    }
    default:
      return false
  }
}
