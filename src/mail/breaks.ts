import type { Context } from 'liquidjs'
import { captured } from './capture.ts'

/** What `newline_to_br` writes for a line break; authors split at it. */
export const LINE_BREAK = /<br \/>\n?/gi

/** Whether `newline_to_br` was used in a rendering: then such a tag is one of its own. */
export const isBroken = (context: Context): boolean => context.getRegister<boolean>(REGISTER)

const REGISTER = 'newline_to_br'

/**
 * Makes the filter `newline_to_br`, which escapes first and breaks lines then: what is a tag in its
 * result is its own. A captured text is escaped already and stays one that is printed as it is.
 */
export const breakLines = (print: (value: unknown) => string, escape: (text: string) => string) =>
  function (this: { context: Context }, value: unknown): string {
    const { context } = this
    const text = print(value)
    const isCaptured = captured(context).has(text)
    const escaped = isCaptured ? text : escape(text)
    const broken = escaped.replace(/\r\n|\r|\n/g, '<br />\n')
    context.setRegister(REGISTER, true)
    if (isCaptured) {
      context.memoryLimit.use(broken.length)
      captured(context).add(broken)
    }
    return broken
  }
