import { compileContent, type Content, type ContentPaths, type ContentSource } from './content.ts'
import type { Syntax } from './liquid.ts'
import { type MergeData, type RenderedMail, renderer, renderText } from './render.ts'
import { rootsOf } from './variables.ts'

/** What is the same for all mails of a content. */
export interface MailTemplate {
  content: Pick<Content, 'subject' | 'html' | 'text'>
  /** See `renderer`. */
  marketing: boolean
}

/**
 * The kinds of work on contents of callers: `shared` is prepared once, then each item by itself.
 * All values are plain: they are passed to a thread and back.
 */
export interface Works {
  mails: { shared: MailTemplate; item: MergeData; result: RenderedMail }
  texts: { shared: string; item: object; result: string }
  contents: {
    shared: null
    item: { source: ContentSource; paths: ContentPaths | undefined }
    result: Content
  }
  roots: { shared: null; item: { syntax: Syntax; source: string }; result: string[] }
}
export type Work = keyof Works

type Workers = {
  [W in Work]: (shared: Works[W]['shared']) => (item: Works[W]['item']) => Works[W]['result']
}

/** Runs in a thread of `renderer.ts` and in benches; nowhere else. */
export const works: Workers = {
  mails: ({ content, marketing }) => renderer(content, { marketing }),
  texts: (source) => (scope) => renderText(source, scope),
  contents:
    () =>
    ({ source, paths }) =>
      compileContent(source, paths),
  roots:
    () =>
    ({ syntax, source }) => [...rootsOf(syntax, source)],
}
