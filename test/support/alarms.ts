import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeFolder, removeFolder } from './folders.ts'

export const RULES = new URL('../../tools/production/prometheus/rules.yml', import.meta.url)
const PROMTOOL = 'promtool'
export const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0

/** What Prometheus reads of the programs for some minutes, and the alarms at the end of them. */
export interface Period {
  /** Text of `/metrics`, or figures by series. */
  page: string | Record<string, number>
  firing: readonly string[]
}

/** Longer than any alarm waits, and than any rate looks back. */
const MINUTES = 80

/**
 * Lets Prometheus' own tool evaluate the rules over one period after the other. Returns what it
 * finds wrong; an empty text: the alarms were those that were expected.
 *
 * Between two pages counters grow evenly. Gauges are what the page says all the time, and ages of
 * what stays open (`growing`) grow by the time that passes.
 */
export async function findWrongAlarms(
  periods: readonly Period[],
  growing: readonly string[] = [],
): Promise<string> {
  const pages = periods.map(({ page }) => (typeof page === 'string' ? figuresOf(page) : page))
  const names = new Set(pages.flatMap((page) => Object.keys(page)))
  const series = [...names].map((name) => ({
    series: name,
    values: pages.flatMap((page, at) => valuesOf(name, page, pages[at - 1], growing)).join(' '),
  }))
  const tests = periods.map(({ firing }, at) => ({
    expr: 'count by (alertname) (ALERTS{alertstate="firing"}) > bool 0',
    eval_time: `${(at + 1) * MINUTES - 1}m`,
    exp_samples: firing.map((alarm) => ({ labels: `{alertname="${alarm}"}`, value: 1 })),
  }))
  const folder = await makeFolder('alarms')
  try {
    const path = join(folder, 'test.yml')
    const interval = '1m'
    const group = { interval, input_series: series, promql_expr_test: tests }
    await writeFile(
      path,
      stringify({ rule_files: [RULES.pathname], evaluation_interval: interval, tests: [group] }),
    )
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', path], {
      encoding: 'utf8',
    })
    return status === 0 ? '' : `${stdout}${stderr}`
  } finally {
    await removeFolder(folder)
  }
}

/** The series of a page. Those of Node and of buckets are in no rule. */
function figuresOf(page: string): Record<string, number> {
  const figures: Record<string, number> = {}
  for (const line of page.split('\n')) {
    const [, name = '', value = ''] = /^(letterloom_\S+?(?:\{.*\})?) (\S+)$/.exec(line) ?? []
    if (name !== '' && !name.includes('_bucket')) figures[name] = Number(value)
  }
  return figures
}

function valuesOf(
  name: string,
  page: Record<string, number>,
  before: Record<string, number> | undefined,
  growing: readonly string[],
): (number | string)[] {
  const value = page[name]
  return Array.from({ length: MINUTES }, (_, minute) => {
    if (value === undefined) return '_'
    if (growing.includes(name)) return value === 0 ? 0 : value + minute * 60
    if (!/_total(?:\{|$)/.test(name)) return value
    // What a process had counted before the first page is no growth.
    const from = before === undefined ? value : (before[name] ?? 0)
    return from + ((value - from) * (minute + 1)) / MINUTES
  })
}
