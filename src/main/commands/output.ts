import { Option } from 'commander'
import { plain } from './plain.ts'

export interface Output {
  json: boolean
}

export const jsonOption = () => new Option('--json', 'answer JSON').default(false)

export function print(answer: object, json: boolean): void {
  process.stdout.write(json ? plain(`${JSON.stringify(answer, null, 2)}\n`) : table(answer))
}

function table(answer: object): string {
  if (!Array.isArray(answer)) return columns(Object.entries(answer))
  const rows: object[] = answer
  const [first] = rows
  if (!first) return 'none\n'
  return columns([Object.keys(first), ...rows.map((row) => Object.values(row))])
}

function columns(rows: readonly unknown[][]): string {
  const texts = rows.map((row) => row.map((each) => plain(show(each))))
  const widths = texts[0]?.map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)))
  return texts
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths?.[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function show(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.join(',')
  if (typeof value !== 'object') return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}=${show(each)}`)
    .join(' ')
}
