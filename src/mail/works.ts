import { compileContent, type Content, type ContentPaths, type ContentSource } from './content.ts'
import { escapeHtml, type Syntax } from './liquid.ts'
import { checkMail } from './mail-checks.ts'
import type { MailCheck } from '../domain/content/mail-check.ts'
import { type MergeData, type RenderedMail, RenderError, renderer, renderText } from './render.ts'
import { textOfPlain } from './text.ts'
import { problemsOfValue, renderValue } from './values.ts'
import { rootsOf } from './variables.ts'

export interface MailTemplate {
  content: Pick<Content, 'subject' | 'html' | 'text'>
  /** See `renderer`. */
  marketing: boolean
}

export interface MailPreview {
  mail: RenderedMail
  checks: MailCheck[]
}

/**
 * The kinds of work on callers' contents. `shared` is prepared once, then each item by itself. All
 * values are plain, since they are passed to a thread and back.
 */
export interface Works {
  mails: { shared: MailTemplate; item: MergeData; result: RenderedMail }
  previews: { shared: MailTemplate; item: MergeData; result: MailPreview }
  texts: { shared: string; item: object; result: string }
  values: { shared: readonly string[]; item: object; result: unknown[] }
  valueChecks: { shared: null; item: readonly string[]; result: string[][] }
  contents: {
    shared: null
    item: { source: ContentSource; paths: ContentPaths | undefined }
    result: Content
  }
  textParts: { shared: null; item: string; result: string }
  roots: { shared: null; item: { syntax: Syntax; source: string }; result: string[] }
}
export type Work = keyof Works

type Workers = {
  [W in Work]: (shared: Works[W]['shared']) => (item: Works[W]['item']) => Works[W]['result']
}

export const works: Workers = {
  mails: ({ content, marketing }) => renderer(content, { marketing }),
  previews: previewer,
  texts: (source) => (scope) => renderText(source, scope),
  values: (sources) => (scope) => sources.map((source) => renderValue(source, scope)),
  valueChecks: () => (sources) => sources.map(problemsOfValue),
  contents:
    () =>
    ({ source, paths }) =>
      compileContent(source, paths),
  textParts: () => textPart,
  roots:
    () =>
    ({ syntax, source }) => [...rootsOf(syntax, source)],
}

function previewer({ content, marketing }: MailTemplate): (data: MergeData) => MailPreview {
  const renderWritten = renderer(content)
  const renderSent = renderer(content, { marketing })
  return (data) => {
    const own = renderWritten(data)
    const mail = renderSent(data)
    const { unsubscribeUrl, preferencesUrl } = data
    const ours = [unsubscribeUrl, preferencesUrl].flatMap((url) => url ?? [])
    const isThere = unsubscribeUrl !== undefined && own.html.includes(escapeHtml(unsubscribeUrl))
    const lacksUnsubscribe = marketing && !isThere
    const bytes = Buffer.byteLength(mail.html)
    return { mail, checks: checkMail({ ...own, bytes, ours, lacksUnsubscribe }) }
  }
}

function textPart(html: string): string {
  try {
    return textOfPlain(html)
  } catch (error) {
    if (error instanceof RangeError) throw new RenderError('render_failed', 'Nested too deep')
    throw error
  }
}
