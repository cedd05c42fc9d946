import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { evaluateSpf } from '../../src/core/deliverability/spf-evaluate.ts'
import { createLookups } from '../../src/net/lookups.ts'
import { askPatiently } from '../support/toolbox.ts'
import { startZoneServer, type Zone, type ZoneServer } from '../support/zone-server.ts'

/** The test suite of openspf.org for RFC 7208; its licence lies beside it. */
interface Scenario {
  description: string
  tests: Record<string, { helo: string; host: string; mailfrom: string; result: string | string[] }>
  zonedata: Record<string, (Record<string, unknown> | 'TIMEOUT')[]>
}

const suite = JSON.parse(
  readFileSync(new URL('fixtures/rfc7208-tests.json', import.meta.url), 'utf8'),
) as Scenario[]

/**
 * Cases whose only way is through a name with `:`, `%` or a blank, for which Node's resolver does
 * not ask: nobody can say, and nothing else is said.
 */
const UNASKABLE = [
  'a-colon-domain',
  'a-colon-domain-ip4mapped',
  'mx-colon-domain',
  'mx-colon-domain-ip4mapped',
  'macro-mania-in-domain',
]

let server: ZoneServer
beforeAll(async () => {
  server = await startZoneServer()
})
afterAll(() => server.close())

/** As the drivers of the suite read it: an SPF record stands for a TXT record as well. */
function zoneOf({ zonedata }: Scenario): Zone {
  const zone: Zone = {}
  for (const [name, entries] of Object.entries(zonedata)) {
    const types: Record<string, (string | string[])[] | 'SERVFAIL'> = {}
    const spf: (string | string[])[] = []
    for (const entry of entries) {
      if (entry === 'TIMEOUT') continue
      for (const [type, value] of Object.entries(entry)) {
        // A TXT record has one string at least (RFC 1035, 3.3.14).
        if (type === 'SPF')
          spf.push(Array.isArray(value) && value.length === 0 ? '' : (value as string))
        else if (type === 'TXT' && value === 'NONE') types['TXT'] ??= []
        else
          ((types[type] as unknown[] | undefined) ?? (types[type] = [])).push(valueOf(type, value))
      }
    }
    if (!types['TXT'] && spf.length > 0) types['TXT'] = spf
    if (types['TXT']?.length === 0) delete types['TXT']
    if (entries.includes('TIMEOUT')) {
      for (const type of ['A', 'AAAA', 'MX', 'PTR', 'TXT']) types[type] ??= 'SERVFAIL'
    }
    zone[name] = types
  }
  return zone
}

const valueOf = (type: string, value: unknown): unknown =>
  type === 'MX' && Array.isArray(value) ? `${value[0]} ${value[1] === '' ? '.' : value[1]}` : value

test('every case of the test suite for RFC 7208 has one of the results that it allows', async () => {
  const wrong: string[] = []
  let cases = 0
  for (const scenario of suite) {
    server.clear()
    server.set(zoneOf(scenario))
    const lookups = createLookups({ servers: [server.address], ask: askPatiently })
    for (const [name, { helo, host, mailfrom, result }] of Object.entries(scenario.tests)) {
      cases++
      const budget = { mostQuestions: 50, mostBytes: 1e6, signal: AbortSignal.timeout(10_000) }
      const from = mailfrom === '' || mailfrom == null ? `postmaster@${helo}` : mailfrom
      const sender = from.startsWith('@') ? `postmaster${from}` : from
      const found = await evaluateSpf(lookups.within(budget).ask, {
        domain: sender.slice(sender.lastIndexOf('@') + 1),
        ip: host,
        sender: sender.includes('@') ? sender : `postmaster@${sender}`,
        helo,
      })
      const right = UNASKABLE.includes(name) ? ['temperror'] : [result].flat()
      if (!right.includes(found.result)) {
        wrong.push(
          `${scenario.description}/${name}: ${found.result} (${found.reason ?? found.term}), not ${String(result)}`,
        )
      }
    }
  }
  expect(wrong).toEqual([])
  expect(cases).toBe(203)
})
