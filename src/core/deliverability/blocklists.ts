import { isIP } from 'node:net'
import { nibbles } from '../../domain/deliverability/spf-macros.ts'
import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  told,
  unclear,
  warned,
} from '../../domain/deliverability/report.ts'
import type { DnsFailed } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'
import { askAddresses, unanswered } from './answers.ts'
import { recording, type ToolContext } from './context.ts'
import { hostOf } from './mx.ts'

type ListState = 'listed' | 'not_listed' | 'unknown'

interface ListReading {
  list: string
  entry: string
  state: ListState
  codes: string[]
}

export interface BlocklistDetails {
  readings: ListReading[]
}

interface Blocklist {
  zone: string
  name: string
  about: 'address' | 'domain'
  removal: string
  /** Returns whether a code means that the entry is listed. Any other code is a refusal. */
  isListing: (code: string) => boolean
  testEntry: string
  /** The list has registered domains only, not the names below them. */
  hasRegisteredOnly?: true
  isPolicy?: (code: string) => boolean
}

const inRange = (prefix: string, least: number, most: number) => (code: string) => {
  const last = Number(code.slice(prefix.length))
  return code.startsWith(prefix) && last >= least && last <= most
}

/**
 * Blocklists that large receivers use. Only known codes count as listings: several lists answer
 * refused callers, such as public resolvers, with a code of its own (127.255.255.x of Spamhaus,
 * 127.0.0.1 of URIBL and SURBL).
 */
const LISTS: readonly Blocklist[] = [
  {
    zone: 'zen.spamhaus.org',
    name: 'Spamhaus ZEN',
    about: 'address',
    removal: 'https://check.spamhaus.org/',
    isListing: inRange('127.0.0.', 2, 11),
    isPolicy: inRange('127.0.0.', 10, 11),
    testEntry: '2.0.0.127',
  },
  {
    zone: 'bl.spamcop.net',
    name: 'SpamCop',
    about: 'address',
    removal: 'https://www.spamcop.net/bl.shtml',
    isListing: (code) => code === '127.0.0.2',
    testEntry: '2.0.0.127',
  },
  {
    zone: 'psbl.surriel.com',
    name: 'PSBL',
    about: 'address',
    removal: 'https://psbl.org/remove',
    isListing: (code) => code === '127.0.0.2',
    testEntry: '2.0.0.127',
  },
  {
    zone: 'dbl.spamhaus.org',
    name: 'Spamhaus DBL',
    about: 'domain',
    removal: 'https://check.spamhaus.org/',
    isListing: inRange('127.0.1.', 2, 199),
    testEntry: 'dbltest.com',
  },
  {
    zone: 'multi.surbl.org',
    name: 'SURBL',
    about: 'domain',
    removal: 'https://www.surbl.org/surbl-analysis',
    isListing: inRange('127.0.0.', 2, 254),
    testEntry: 'test.surbl.org',
    hasRegisteredOnly: true,
  },
  {
    zone: 'multi.uribl.com',
    name: 'URIBL',
    about: 'domain',
    removal: 'https://admin.uribl.com/',
    isListing: inRange('127.0.0.', 2, 14),
    testEntry: 'test.uribl.com',
    hasRegisteredOnly: true,
  },
]

export interface BlocklistInput {
  /** The domain is checked together with the addresses of its first mail host. */
  domain?: string | undefined
  ip?: string | undefined
  isBrief?: boolean
}

const MOST_ADDRESSES = 2
/** The test entry of lists of IPv6 addresses (RFC 5782, 5). */
const IPV6_TEST_ENTRY = '::ffff:7f00:2'

export async function checkBlocklists(
  context: ToolContext,
  { domain, ip, isBrief = false }: BlocklistInput,
): Promise<Check<BlocklistDetails>> {
  const { ask, records } = recording(context.lookups)
  const { addresses, failure } =
    ip === undefined
      ? await mailAddresses(ask, domain ?? '')
      : { addresses: [ip], failure: undefined }
  const ofAddresses = LISTS.filter(({ about }) => about === 'address').slice(0, isBrief ? 1 : 3)
  const ofDomains = LISTS.filter(({ about }) => about === 'domain').slice(0, isBrief ? 1 : 3)
  const questions = [
    ...addresses
      .slice(0, isBrief ? 1 : MOST_ADDRESSES)
      .flatMap((entry) => ofAddresses.map((list) => ({ list, entry }))),
    ...(domain === undefined ? [] : ofDomains.map((list) => ({ list, entry: domain }))),
  ]
  const answers = await Promise.all(questions.map((question) => readingOf(ask, question)))
  const findings = answers.map(findingOf)
  if (failure) findings.push(unanswered('dns_failed', `The mail host of ${domain}`, failure))
  const isKnown = answers.some(({ state }) => state !== 'unknown')
  if (!isKnown) {
    findings.push(
      unclear(
        'blocklists_unknown',
        'None of the lists answered. Most of them refuse public name servers.',
        'Use a name server of your own for the look-ups of this service.',
      ),
    )
  }
  const entries = [...new Set(answers.map(({ entry }) => entry))].join(', ')
  return conclude(findings, {
    fine: `${entries} is on none of the lists that answered.`,
    records: records().filter(({ name, status }) => status === 'found' && !isTestEntry(name)),
    details: {
      readings: answers.map(({ list, entry, state, codes }) => ({
        list: list.name,
        entry,
        state,
        codes,
      })),
    },
  })
}

const isTestEntry = (name: string): boolean =>
  LISTS.some(
    ({ testEntry, zone }) =>
      name === `${testEntry}.${zone}` || name === `${reversed(IPV6_TEST_ENTRY)}.${zone}`,
  )

async function mailAddresses(
  ask: Lookup,
  domain: string,
): Promise<{ addresses: readonly string[]; failure: DnsFailed | undefined }> {
  const answer = await ask(domain, 'MX')
  if (answer.status === 'failed') return { addresses: [], failure: answer }
  const host = answer.status === 'found' ? hostOf(answer.values[0] ?? '').host : ''
  const hostAnswer = host === '' ? answer : await askAddresses(ask, host)
  if (hostAnswer.status === 'failed') return { addresses: [], failure: hostAnswer }
  const isThere = host !== '' && hostAnswer.status === 'found'
  return { addresses: isThere ? hostAnswer.values : [], failure: undefined }
}

const reversed = (ip: string): string =>
  (ip.includes(':') ? nibbles(ip) : ip.split('.')).toReversed().join('.')

interface ListQuery {
  list: Blocklist
  entry: string
}

/** A list without its own test entry refuses us silently, or has no entries of that kind. */
async function readingOf(ask: Lookup, { list, entry }: ListQuery): Promise<Reading> {
  const answer = await ask(`${labelsOf(list, entry)}.${list.zone}`, 'A')
  const codes = answer.status === 'found' ? answer.values.slice(0, 10) : []
  const reading = { list, entry, codes }
  if (codes.some(list.isListing)) return { ...reading, state: 'listed' }
  if (answer.status === 'failed' || codes.length > 0) return { ...reading, state: 'unknown' }
  const testEntry = entry.includes(':') ? reversed(IPV6_TEST_ENTRY) : list.testEntry
  const test = await ask(`${testEntry}.${list.zone}`, 'A')
  const answers = test.status === 'found' && test.values.some(list.isListing)
  return { ...reading, state: answers ? 'not_listed' : 'unknown' }
}

function labelsOf({ hasRegisteredOnly }: Blocklist, entry: string): string {
  if (isIP(entry) !== 0) return reversed(entry)
  return hasRegisteredOnly ? (organizationalDomain(entry) ?? entry) : entry
}

interface Reading extends Omit<ListReading, 'list'> {
  list: Blocklist
}

function findingOf({ list, entry, state, codes }: Reading): Finding {
  const code = `blocklist_${state}`
  switch (state) {
    case 'listed': {
      const { isPolicy } = list
      if (isPolicy && codes.filter(list.isListing).every(isPolicy)) {
        const message = `${entry} is on ${list.name} as an address that should not send mail itself.`
        return warned(code, message, `Send through a mail service, or see ${list.removal}.`)
      }
      const message = `${entry} is on ${list.name}.`
      return failed(
        code,
        message,
        `Find and stop the cause, then ask for removal at ${list.removal}.`,
      )
    }
    case 'not_listed':
      return passed(code, `${entry} is not on ${list.name}.`)
    case 'unknown':
      return told(code, `${list.name} did not answer about ${entry}, so the result is unknown.`)
  }
}
