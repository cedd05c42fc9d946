import type { Outcome } from '../plan.ts'
import { html, type Markup } from './html.ts'

const CHIPS: Record<Outcome, { name: string; tone: string }> = {
  delivered: { name: 'delivered', tone: 'plain' },
  quiet: { name: 'delivered', tone: 'plain' },
  bounced: { name: 'bounces', tone: 'bad' },
  suppressed: { name: 'suppressed', tone: 'warn' },
  listed: { name: 'on suppression list', tone: 'warn' },
  complained: { name: 'complains', tone: 'bad' },
  unrendered: { name: 'not rendered', tone: 'bad' },
}

export const outcomeChip = (outcome: Outcome): Markup => {
  const { name, tone } = CHIPS[outcome]
  return html`<span class="chip ${tone}">${name}</span>`
}
