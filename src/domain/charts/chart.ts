import { escapeHtml } from '../escape-html.ts'

export interface ChartText {
  id: string
  title: string
  description: string
}

/**
 * Draws a chart that fills its container while its texts keep their size: widths are in per cent,
 * heights in pixels. Colours are those of `CHART_STYLE`.
 */
export const chart = ({ id, title, description }: ChartText, height: number, parts: string[]) =>
  `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="${height}" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${escapeHtml(title)}</title>
<desc id="${id}-description">${escapeHtml(description)}</desc>
${parts.join('\n')}
</svg>`

const NUMBERS = new Intl.NumberFormat('en')

export const readable = (value: number): string => NUMBERS.format(value)

/** `12.3 %`. A share of zero is empty. */
export const percentage = (part: number, of: number): string =>
  of === 0 ? '–' : `${((part / of) * 100).toFixed(1)} %`

/**
 * Colours of charts, light and dark. Each has a contrast of at least 4.5 to the page. Colour is
 * never the only difference.
 */
export const CHART_STYLE = `
.chart { display: block; overflow: visible; font-variant-numeric: tabular-nums }
.chart text { fill: currentColor; font-size: .8125rem }
.chart .grid { stroke: #c8ccd2; stroke-width: 1 }
.chart .scale { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round }
.chart .track { fill: #e8eaee }
.chart .bar, .chart .mark-0 { fill: #1d4ed8 }
.chart .mark-1 { fill: #b45309 }
.chart .line { fill: none; stroke-width: 2; stroke-linejoin: round }
.chart .line-0 { stroke: #1d4ed8 }
.chart .line-1 { stroke: #b45309; stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) {
  .chart .grid { stroke: #3d434b }
  .chart .scale { stroke: #1c1f24 }
  .chart .track { fill: #2b3038 }
  .chart .bar, .chart .mark-0 { fill: #93c5fd }
  .chart .mark-1 { fill: #fbbf24 }
  .chart .line-0 { stroke: #93c5fd }
  .chart .line-1 { stroke: #fbbf24 }
}
@media print {
  .chart { print-color-adjust: exact; break-inside: avoid }
  .chart .scale { stroke: #ffffff }
}
`
