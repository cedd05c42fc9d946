import { escapeHtml } from '../escape-html.ts'
import { chart, type ChartText, percentage, readable } from './chart.ts'

export interface Bar {
  label: string
  value: number
}

const ROW_HEIGHT = 44
const BAR_HEIGHT = 12
const TEXT_Y = 14
const BAR_Y = 22

/** Draws bars below each other, each with its number and its share of `total`. */
export function barChart(text: ChartText, bars: readonly Bar[], total: number): string {
  const parts = bars.map(({ label, value }, row) => {
    const y = row * ROW_HEIGHT
    const share = total === 0 ? 0 : Math.min(1, value / total) * 100
    return [
      `<text x="0" y="${y + TEXT_Y}">${escapeHtml(label)}</text>`,
      `<text x="100%" y="${y + TEXT_Y}" text-anchor="end">${readable(value)} (${percentage(value, total)})</text>`,
      `<rect class="track" x="0" y="${y + BAR_Y}" width="100%" height="${BAR_HEIGHT}" rx="2"/>`,
      ...(share > 0
        ? [
            `<rect class="bar" x="0" y="${y + BAR_Y}" width="${share.toFixed(2)}%" height="${BAR_HEIGHT}" rx="2"/>`,
          ]
        : []),
    ].join('')
  })
  return chart(text, bars.length * ROW_HEIGHT, parts)
}
