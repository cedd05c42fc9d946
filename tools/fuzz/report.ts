import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** Schemathesis' record of one scenario: requests, answers and checks by case id. */
interface Recorder {
  label: string
  cases?: Record<string, { value: { method: string; path: string } }>
  interactions?: Record<string, { response?: Response | null }>
  checks?: Record<string, { name: string; status: string }[]>
}

interface Response {
  status_code: number
  headers: Record<string, string[]>
  content: { $base64: string } | null
}

interface Row {
  requests: number
  answers: Record<string, number>
  failed: Set<string>
}

export type Report = Map<string, Row>

/** Reads the report and adds checks that a document cannot express, see `hasRequestId`. */
export async function readReport(file: string): Promise<Report> {
  const report: Report = new Map()
  const operations = new Set<string>()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const event = JSON.parse(line) as { ScenarioFinished?: { recorder: Recorder } }
    const recorder = event.ScenarioFinished?.recorder
    if (recorder === undefined) continue
    const { cases = {}, interactions = {}, checks = {} } = recorder
    operations.add(recorder.label)
    for (const [id, { response = null }] of Object.entries(interactions)) {
      const { method = '', path = '' } = cases[id]?.value ?? {}
      const name = `${method} ${path}`
      // Every method that a path does not have is tried as well.
      const row = rowOf(report, operations.has(name) ? name : 'other methods')
      row.requests++
      const digit = response === null ? 'none' : String(response.status_code)[0]
      row.answers[digit ?? 'none'] = (row.answers[digit ?? 'none'] ?? 0) + 1
      for (const { name, status } of checks[id] ?? [])
        if (status === 'failure') row.failed.add(name)
      if (response === null) row.failed.add('no answer')
      else if (!hasRequestId(response)) row.failed.add('request id')
      // Also where 503 is expected, because nobody is there who could be asked.
      if (response !== null && response.status_code >= 500 && response.status_code !== 503) {
        row.failed.add('server error')
      }
    }
  }
  return report
}

function rowOf(report: Report, operation: string): Row {
  const knownRow = report.get(operation)
  if (knownRow) return knownRow
  const newRow = { requests: 0, answers: {}, failed: new Set<string>() }
  report.set(operation, newRow)
  return newRow
}

/** Every answer has a request id, and the body of a refusal has the same one. */
function hasRequestId({ status_code: status, headers, content }: Response): boolean {
  const [id] = headers['x-request-id'] ?? []
  if (id === undefined) return false
  const [type = ''] = headers['content-type'] ?? []
  if (status < 400 || content === null || !type.includes('json')) return true
  const text = Buffer.from(content.$base64, 'base64').toString()
  return text === '' || (JSON.parse(text) as { requestId?: string }).requestId === id
}

/** Returns whether no answer broke a check. */
export const isClean = (report: Report): boolean =>
  [...report.values()].every(({ failed }) => failed.size === 0)

export function table(report: Report): string {
  const rows = [...report].sort(([a], [b]) => (a < b ? -1 : 1))
  const sum = (pick: (row: Row) => number) => rows.reduce((all, [, row]) => all + pick(row), 0)
  const countOf = (digit: string) => (row: Row) => row.answers[digit] ?? 0
  const digits = ['2', '3', '4', '5', 'none']
  const heads = ['requests', '2xx', '3xx', '4xx', '5xx', 'none']
  const line = (name: string, figures: (number | string)[], failed: string) =>
    `${name.padEnd(42)}${figures.map((each) => String(each).padStart(8)).join('')}  ${failed}`
  return [
    line('operation', heads, 'failed checks'),
    ...rows.map(([name, row]) =>
      line(
        name,
        [row.requests, ...digits.map((each) => countOf(each)(row))],
        [...row.failed].join(', '),
      ),
    ),
    line('all', [sum((row) => row.requests), ...digits.map((each) => sum(countOf(each)))], ''),
  ].join('\n')
}
