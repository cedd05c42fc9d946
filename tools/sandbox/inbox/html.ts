/** Markup that is inserted unescaped. */
export interface Markup {
  readonly markup: string
}

type Value = Markup | string | number | null | undefined | false | readonly Value[]

/** A piece of a page. Inserted values are escaped unless they are markup. */
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
