import { escapeHtml } from '../../src/domain/escape-html.ts'

export interface Column {
  head: string
  isNumber?: boolean
}

/**
 * Returns a table whose first cells name their rows. A table that is too wide scrolls by itself.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const style = (at: number) => (columns[at]?.isNumber ? ' class="number"' : '')
  const heads = columns.map(
    ({ head }, at) => `<th scope="col"${style(at)}>${escapeHtml(head)}</th>`,
  )
  const lines = rows.map((cells) => {
    const [name = '', ...rest] = cells
    const values = rest.map((cell, at) => `<td${style(at + 1)}>${escapeHtml(cell)}</td>`)
    return `<tr><th scope="row">${escapeHtml(name)}</th>${values.join('')}</tr>`
  })
  return `<div class="scroll" role="region" aria-label="${escapeHtml(caption)}" tabindex="0"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`
}
