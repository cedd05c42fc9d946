import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runMainJob } from '../../src/main/dev/main-job.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { RULES } from '../support/alarms.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'
import { sized } from '../support/size.ts'
import { startTestSystem, type TestSystem } from '../support/system.ts'

const PROMETHEUS = 'prometheus'
const isInstalled = spawnSync(PROMETHEUS, ['--version']).status === 0
const SCRAPE_SECONDS = 1
const MOST_SERIES = 1_000
const dashboard = JSON.parse(
  readFileSync(new URL('../grafana/letterloom.json', RULES), 'utf8'),
) as { panels: { targets?: { expr: string }[] }[] }
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Nothing has failed yet on a system that was just started, so these may have no series. */
const OF_FAILURES = /letterloom_failed_rounds_total/

describe.skipIf(!isInstalled)('with Prometheus', () => {
  let system: TestSystem
  let prometheus: string
  let folder: string
  const targets: string[] = []

  beforeAll(async () => {
    // API and worker have the port that is set and the next.
    let port = await freePort()
    while ((await freePort(port + 1)) !== port + 1) port = await freePort()
    system = await startTestSystem({ INTERNAL_PORT: String(port), INTERNAL_HOST: '127.0.0.1' })
    targets.push(`127.0.0.1:${port}`, `127.0.0.1:${port + 1}`)
    folder = await makeFolder('prometheus')
    const config = {
      global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
      rule_files: [RULES.pathname],
      scrape_configs: [{ job_name: 'letterloom', static_configs: [{ targets }] }],
    }
    await writeFile(join(folder, 'prometheus.yml'), stringify(config))
    const listen = await freePort()
    prometheus = `http://127.0.0.1:${listen}`
    endWithUs(
      spawn(
        PROMETHEUS,
        [
          `--config.file=${join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${listen}`,
        ],
        { stdio: 'ignore' },
      ),
    )
  })
  afterAll(async () => {
    await system.stop()
    await removeFolder(folder)
  })

  async function ask(query: string): Promise<{ value: [number, string] }[]> {
    const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`)
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
    return data.result
  }

  test('every query of the dashboard has series while a batch is sent, and a process has few hundred', async () => {
    await runMainJob(system, { contacts: sized(500, 5_000), rate: 200 })
    const empty = async () => {
      const found = await Promise.all(
        queries.map(async (query) => ((await ask(query)).length > 0 ? [] : [query])),
      )
      return found.flat().filter((query) => !OF_FAILURES.test(query))
    }
    await expect.poll(empty, { timeout: 60_000, interval: 1_000 }).toEqual([])
    expect(queries.length).toBeGreaterThan(30)
    const firing = await ask('ALERTS{alertstate="firing"}')
    expect(firing).toEqual([])

    const pages = await Promise.all(
      targets.map(async (target) => (await fetch(`http://${target}/metrics`)).text()),
    )
    const series = pages.map(
      (page) => page.split('\n').filter((line) => /^[a-z]/.test(line)).length,
    )
    for (const count of series) expect(count).toBeLessThan(MOST_SERIES)
    expect(Math.min(...series)).toBeGreaterThan(100)
  })
})
