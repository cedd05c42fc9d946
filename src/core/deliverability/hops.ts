import { type Finding, told, warned } from '../../domain/deliverability/report.ts'

export interface Hop {
  from: string | null
  by: string | null
  at: string | null
  /** Seconds since the hop before. Null: unknown. */
  delaySeconds: number | null
  isEncrypted: boolean
}

const MOST_HOPS = 50
const SLOW_SECONDS = 300
const LONGEST_NAME = 253
const LONGEST_FIELD = 2_000

/** Parses `Received` fields, which are in the order from the last server to the first. */
export function readHops(received: readonly string[]): { hops: Hop[]; findings: Finding[] } {
  let before: number | undefined
  const hops = received
    .slice(0, MOST_HOPS)
    .toReversed()
    .map((given): Hop => {
      const value = given.slice(0, LONGEST_FIELD)
      const time = Date.parse(value.slice(value.lastIndexOf(';') + 1).replace(/\([^()]*\)/g, ''))
      const isKnown = value.includes(';') && !Number.isNaN(time)
      const delaySeconds =
        isKnown && before !== undefined ? Math.round((time - before) / 1_000) : null
      if (isKnown) before = time
      return {
        from: wordAfter(value, 'from'),
        by: wordAfter(value, 'by'),
        at: isKnown ? new Date(time).toISOString() : null,
        delaySeconds,
        isEncrypted: /\bwith\s+(?:E?SMTPS|[A-Z0-9]*SMTPSA?|HTTPS)\b|\bTLS/i.test(value),
      }
    })
  const findings: Finding[] = []
  const slow = hops.find(({ delaySeconds }) => (delaySeconds ?? 0) > SLOW_SECONDS)
  if (slow) {
    findings.push(
      warned(
        'slow_hop',
        `The mail waited ${slow.delaySeconds} s before ${slow.by ?? 'a server'} accepted it.`,
        'Check the log of the server before it. Greylisting and rate limits are common reasons.',
      ),
    )
  }
  if (hops.length > 0) {
    const total = hops.reduce((sum, { delaySeconds }) => sum + Math.max(0, delaySeconds ?? 0), 0)
    findings.push(told('way', `It went through ${hops.length} servers in ${total} s.`))
  }
  return { hops, findings }
}

function wordAfter(value: string, word: string): string | null {
  const match = new RegExp(`(?:^|\\s)${word}\\s+(\\S{1,${LONGEST_NAME}})`, 'i').exec(value)
  return match?.[1]?.replace(/[;,]$/, '') ?? null
}
