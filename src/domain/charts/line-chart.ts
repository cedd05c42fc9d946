import { escapeHtml } from '../escape-html.ts'
import { chart, type ChartText, readable } from './chart.ts'

export interface Line {
  name: string
  values: readonly number[]
}

/** Lines differ in colour, stroke and marks, of which `CHART_STYLE` has this many. */
const MOST_LINES = 2

const LEGEND_HEIGHT = 36
const PLOT_HEIGHT = 160
const AXIS_HEIGHT = 24
const LEGEND_STEP = 132
const MARGIN = 1.5
const MOST_MARKS = 32

/**
 * Draws lines over one row of points. Only the first and last point are labelled, since a phone has
 * no room for more.
 */
export function lineChart(
  text: ChartText,
  labels: readonly string[],
  lines: readonly Line[],
): string {
  if (lines.length > MOST_LINES) throw new RangeError(`At most ${MOST_LINES} lines`)
  const top = niceTop(Math.max(0, ...lines.flatMap(({ values }) => values)))
  return chart(text, LEGEND_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT, [
    ...lines.map(({ name }, index) => legend(name, index)),
    ...[top, top / 2, 0].map((value) => gridLine(yOf(value, top))),
    `<svg x="0" y="${LEGEND_HEIGHT}" width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible">`,
    ...lines.map(({ values }, index) => polyline(values, top, index)),
    '</svg>',
    ...lines.flatMap(({ values }, index) => marks(values, top, index)),
    ...[top, top / 2, 0].map((value) => scale(value, top)),
    ...axis(labels),
  ])
}

const TOPS = [2, 4, 6, 8, 10]

/** Returns the lowest round number that is not below `value` and has a whole half. */
export function niceTop(value: number): number {
  const unit = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, value))) - 1)
  return (TOPS.find((top) => top * unit >= value) ?? 10) * unit
}

function legend(name: string, index: number): string {
  const x = index * LEGEND_STEP
  return [
    `<line class="line line-${index}" x1="${x}" y1="9" x2="${x + 24}" y2="9"/>`,
    `<svg x="${x + 12}" y="9" overflow="visible">${mark(index)}</svg>`,
    `<text x="${x + 32}" y="14">${escapeHtml(name)}</text>`,
  ].join('')
}

const yOf = (value: number, top: number): number => LEGEND_HEIGHT + PLOT_HEIGHT * (1 - value / top)

const gridLine = (y: number): string => `<line class="grid" x1="0" y1="${y}" x2="100%" y2="${y}"/>`

const scale = (value: number, top: number): string =>
  `<text class="scale" x="0" y="${yOf(value, top) - 4}">${readable(value)}</text>`

const across = (index: number, count: number): number =>
  count === 1 ? 50 : MARGIN + ((100 - 2 * MARGIN) * index) / (count - 1)

const polyline = (values: readonly number[], top: number, index: number): string => {
  const points = values.map(
    (value, at) =>
      `${across(at, values.length).toFixed(2)},${(100 * (1 - value / top)).toFixed(2)}`,
  )
  return `<polyline class="line line-${index}" vector-effect="non-scaling-stroke" points="${points.join(' ')}"/>`
}

const mark = (index: number): string =>
  index === 0
    ? '<circle class="mark-0" r="4"/>'
    : '<rect class="mark-1" x="-3.5" y="-3.5" width="7" height="7"/>'

function marks(values: readonly number[], top: number, index: number): string[] {
  if (values.length > MOST_MARKS) return []
  return values.map((value, at) => {
    const y = yOf(value, top).toFixed(1)
    return `<svg x="${across(at, values.length).toFixed(2)}%" y="${y}" overflow="visible">${mark(index)}</svg>`
  })
}

function axis(labels: readonly string[]): string[] {
  const y = LEGEND_HEIGHT + PLOT_HEIGHT + 18
  const last = labels.length - 1
  const text = (x: string, anchor: string, label = '') =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeHtml(label)}</text>`
  if (last < 0) return []
  if (last === 0) return [text('50%', 'middle', labels[0])]
  return [text('0', 'start', labels[0]), text('100%', 'end', labels[last])]
}
