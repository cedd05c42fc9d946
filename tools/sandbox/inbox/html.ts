/** Markup that may stand in a page as it is. */
export interface Markup {
  readonly markup: string
}

type Value = Markup | string | number | null | undefined | false | readonly Value[]

/** A piece of a page. What is filled in is text, and escaped, unless it is markup itself. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Markup => ({
  markup: strings.reduce((text, piece, n) => text + render(values[n - 1]) + piece),
})

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  if (isList(value)) return value.map(render).join('')
  return value.markup
}

const isList = (value: Markup | readonly Value[]): value is readonly Value[] => Array.isArray(value)

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
