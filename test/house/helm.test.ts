import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { version } from '../../src/main/programs/version.ts'
import { QUEUES } from '../../workflows/contract.ts'
import { readComposeFile } from '../../tools/production/compose.ts'

const CHART = new URL('../../tools/production/helm/letterloom/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, CHART), 'utf8')
const values = parse(read('values.yaml')) as {
  workers: { name: string; queues: string; replicas: number }[]
}
const templates = readdirSync(new URL('templates/', CHART))
  .map((name) => read(`templates/${name}`))
  .join('\n')

test('the chart is of this version', () => {
  expect(parse(read('Chart.yaml'))).toMatchObject({ appVersion: version, version })
})

test('every queue has a worker, and none two kinds of them', () => {
  const queues = values.workers.flatMap((worker) => worker.queues.split(','))
  expect(queues.toSorted()).toEqual(QUEUES.toSorted())
  expect(values.workers.every(({ replicas }) => replicas > 0)).toBe(true)
})

test('programs get only names that the configuration reads', () => {
  const read = new Set<string>()
  readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
  const names = [...templates.matchAll(/^ *- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !read.has(name) && name !== 'NODE_OPTIONS')).toEqual([])
})

test('it gives programs the time to stop and the heap that the compose file gives them', () => {
  const { services } = readComposeFile(new URL('../../docker-compose.yml', import.meta.url))
  for (const name of ['api', 'worker']) {
    const seconds = Number.parseInt(services[name]?.stop_grace_period ?? '', 10)
    expect(templates).toContain(`terminationGracePeriodSeconds: ${seconds}`)
    expect(templates).toContain(`value: ${services[name]?.environment?.['NODE_OPTIONS']}`)
  }
})

test('it has no database, no secret and no namespace of its own', () => {
  const kinds = [...templates.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)
  expect(new Set(kinds)).toEqual(
    new Set(['Deployment', 'Job', 'PodDisruptionBudget', 'Service', 'ServiceAccount']),
  )
})
