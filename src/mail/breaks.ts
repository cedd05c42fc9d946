import type { Context } from 'liquidjs'
import { captured } from './capture.ts'

export const LINE_BREAK = /<br \/>\n?/gi

export const isBroken = (context: Context): boolean => context.getRegister<boolean>(REGISTER)

const REGISTER = 'newline_to_br'

/**
 * Makes the filter `newline_to_br`. It escapes before it breaks lines, so every tag in its result
 * is its own. A captured text is escaped already and stays a text that is printed unchanged.
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
