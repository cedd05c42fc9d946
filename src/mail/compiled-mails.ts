import { Context, toValueSync } from 'liquidjs'
import { hasOwnLink } from '../domain/consent/link-token.ts'
import type { Content } from './content.ts'
import { footerOf } from './footer.ts'
import { htmlLayoutOf } from './html-layout.ts'
import { engines, escapeHtml, MAX_PART_LENGTH, type Syntax, Unprintable } from './liquid.ts'
import { type Node, treeOf } from './liquid-tree.ts'
import { withoutTracking } from './no-track.ts'
import { checkSubject, type MergeData, missingValue, RenderError, scopeOf } from './render.ts'
import { isTorn, joined, type Layout, lengthOf, type SlottedText, textOf } from './slotted-text.ts'

interface CompiledMail {
  subject: string
  html: SlottedText
  text: SlottedText
}

/** Returns one recipient's mail. Undefined: only LiquidJS knows, in a thread. */
export type MailMaker = (data: MergeData) => CompiledMail | undefined

/** Longest content that is compiled, in characters: that takes the process milliseconds. */
const MOST_COMPILED = 200_000
/** Characters of the values of one part, before and after their filters. */
const MOST_VALUES = 100_000
/** Combinations of branches of one part whose layouts are cached. */
const MOST_LAYOUTS = 32

/**
 * Compiles a content of marketing mail whose Liquid is plain. Its mails are made in this process,
 * from texts that are prepared once, and are the same as those of `renderer`, character by
 * character. Undefined: the content needs a thread.
 *
 * The maker throws the same RenderError as `renderer` if a value is missing or does not fit the
 * subject. It returns undefined for every other error, and where it is not certain.
 */
export function compileMails(
  content: Pick<Content, 'subject' | 'html' | 'text'>,
): MailMaker | undefined {
  if (content.html.length + content.text.length > MOST_COMPILED) return undefined
  const subject = compilePart('plain', content.subject ?? '', (rendered) => rendered)
  const html = compilePart('html', content.html, htmlLayoutOf)
  const text = compilePart('plain', content.text, (rendered, count) => [...rendered, count])
  if (!subject || !html || !text) return undefined

  return (data) => {
    const { unsubscribeUrl } = data
    if (unsubscribeUrl === undefined) return undefined
    const urls = [unsubscribeUrl, data.preferencesUrl].flatMap((url) => url ?? [])
    // So a text has a link of ours exactly if it has one by its form.
    if (!urls.every((url) => hasOwnLink(url) && escapeHtml(url) === url)) return undefined

    const scope = scopeOf(data)
    const ownSubject = subject(scope)
    if (!ownSubject) return undefined
    const checkedSubject = checkSubject(textOf(ownSubject.rendered))
    const ownHtml = html(scope)
    const ownText = ownHtml && text(scope)
    if (!ownText) return undefined

    const footer = (syntax: 'html' | 'plain', { rendered }: { rendered: SlottedText }) =>
      footerOf(syntax, (part) => includes(rendered, part), { ...data, unsubscribeUrl })
    const { values } = ownHtml.rendered
    const { layout, links } = ownHtml.complete
    const ownLinks = links.map((link) => withoutTracking(textOf({ layout: link, values }), urls))
    const htmlFooter = withoutTracking(footer('html', ownHtml), urls)
    return {
      subject: checkedSubject,
      html: { layout, values: [...values, ...ownLinks, htmlFooter] },
      text: {
        layout: ownText.complete,
        values: [...ownText.rendered.values, footer('plain', ownText)],
      },
    }
  }
}

const includes = (rendered: SlottedText, part: string): boolean =>
  rendered.values.some((value) => value.includes(part)) || textOf(rendered).includes(part)

interface OwnPart<Complete> {
  rendered: SlottedText
  complete: Complete
}

/**
 * Returns a function that renders one part. `complete` is called once for each combination of
 * branches, with the layout of the rendered part and the number of its outputs.
 */
function compilePart<Complete>(
  syntax: Syntax,
  source: string,
  complete: (rendered: Layout, count: number) => Complete | undefined,
): ((scope: object) => OwnPart<Complete> | undefined) | undefined {
  const tree = treeOf(syntax, source)
  if (!tree) return undefined
  const { options } = engines[syntax]
  const layouts = new Map<string, { layout: Layout; complete: Complete } | undefined>()

  const layoutOf = (taken: readonly string[], count: number) => {
    const key = taken.join()
    if (!layouts.has(key) && layouts.size < MOST_LAYOUTS) {
      const layout = layoutOfBranches(tree, taken)
      const whole = layout.some((piece) => isTorn(String(piece)))
        ? undefined
        : complete(layout, count)
      layouts.set(key, whole && { layout, complete: whole })
    }
    return layouts.get(key)
  }

  return (scope) => {
    const context = new Context(scope, options, { sync: true, memoryLimit: MOST_VALUES })
    const evaluation = evaluate(syntax, tree, context)
    if (!evaluation) return undefined
    const { values, taken } = evaluation
    const own = layoutOf(taken, values.length)
    if (!own) return undefined
    const rendered = { layout: own.layout, values }
    return lengthOf(rendered) > MAX_PART_LENGTH ? undefined : { rendered, complete: own.complete }
  }
}

/**
 * Evaluates the outputs of the branches that are taken, in their order. Undefined: LiquidJS refuses
 * something, or a value has half a character at an end, which its neighbour may complete.
 */
function evaluate(syntax: Syntax, tree: readonly Node[], context: Context) {
  const evaluation: Evaluation = { values: [], taken: [] }
  try {
    visit(syntax, tree, context, evaluation)
    return evaluation.values.some(isTorn) ? undefined : evaluation
  } catch (error) {
    if (error instanceof RenderError) throw error
    return undefined
  }
}

interface Evaluation {
  values: string[]
  /** Index of the branch that each condition takes. Empty: it takes none. */
  taken: string[]
}

function visit(
  syntax: Syntax,
  nodes: readonly Node[],
  context: Context,
  evaluation: Evaluation,
): void {
  const { renderer } = engines[syntax]
  for (const node of nodes) {
    switch (node.kind) {
      case 'text':
        break
      case 'output':
        evaluation.values.push(valueOf(node, context))
        break
      case 'assignment':
        toValueSync(renderer.renderTemplates([node.tag], context))
        break
      case 'branches': {
        const index = String(toValueSync(renderer.renderTemplates([node.choice], context)))
        evaluation.taken.push(index)
        visit(syntax, branchOf(node, index), context, evaluation)
      }
    }
  }
}

const branchOf = ({ branches }: Extract<Node, { kind: 'branches' }>, index: string): Node[] =>
  index === '' ? [] : (branches[Number(index)] ?? [])

function valueOf({ output, source }: Extract<Node, { kind: 'output' }>, context: Context): string {
  try {
    return String(toValueSync(output.value.value(context, false)))
  } catch (error) {
    throw error instanceof Unprintable ? missingValue(source, error) : error
  }
}

/** Returns the layout of the part when these branches are taken. */
function layoutOfBranches(tree: readonly Node[], taken: readonly string[]): Layout {
  const pieces: (string | number)[] = []
  const left = [...taken]
  let count = 0
  const add = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (node.kind === 'text') pieces.push(node.text)
      if (node.kind === 'output') pieces.push(count++)
      if (node.kind === 'branches') add(branchOf(node, left.shift() ?? ''))
    }
  }
  add(tree)
  return joined(pieces)
}
