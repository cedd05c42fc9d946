import {
  type Check,
  conclude,
  failed,
  type Finding,
  unclear,
} from '../../domain/deliverability/report.ts'
import type { DnsAnswer } from '../../net/dns.ts'
import { recording, shownText, type ToolContext } from './context.ts'
import { type DkimKey, isKeyRecord, readDkimKey } from './dkim-key.ts'
import { unanswered } from './answers.ts'

export interface DkimInput {
  domain: string
  selectors?: readonly string[] | undefined
  mostTried?: number
}

export interface DkimDetails {
  keys: (DkimKey & { selector: string; name: string; record: string })[]
  tried: string[]
}

/**
 * Selectors of large senders and of common software, the most frequent first. Selectors of Amazon
 * SES are random and cannot be guessed.
 */
export const COMMON_SELECTORS = [
  'google',
  'selector1',
  'selector2',
  'default',
  'k1',
  's1',
  'mail',
  'dkim',
  'k2',
  's2',
  'fm1',
  'mxvault',
] as const

export async function checkDkim(
  context: ToolContext,
  { domain, selectors, mostTried = COMMON_SELECTORS.length }: DkimInput,
): Promise<Check<DkimDetails>> {
  const { ask, records } = recording(context.lookups)
  const isGiven = selectors !== undefined && selectors.length > 0
  const tried = isGiven ? [...selectors] : COMMON_SELECTORS.slice(0, mostTried)
  const answers = await Promise.all(
    tried.map(async (selector) => {
      const name = `${selector}._domainkey.${domain}`
      return { selector, name, answer: await ask(name, 'TXT') }
    }),
  )
  const keys: DkimDetails['keys'] = []
  const findings: Finding[] = []
  for (const { selector, name, answer } of answers) {
    const texts = answer.status === 'found' ? answer.values.filter(isKeyRecord) : []
    const [text] = texts
    if (text === undefined) {
      if (isGiven) findings.push(absent(name, answer))
      continue
    }
    const read = readDkimKey(name, text)
    keys.push({ ...read.key, selector, name, record: shownText(text) })
    findings.push(...read.findings)
    if (texts.length > 1) {
      const message = `${name} has more than one key, so receivers may use the wrong one.`
      findings.push(failed('dkim_many', message, 'Keep the key in use and delete the others.'))
    }
  }
  const isSilent = answers.some(({ answer }) => answer.status === 'failed')
  if (!isGiven && keys.length === 0) findings.push(notGuessed(isSilent))
  return conclude(findings, {
    fine: `${keys.length === 1 ? 'One key' : `${keys.length} keys`} of ${domain} can be used.`,
    records: isGiven ? records() : records().filter(({ status }) => status === 'found'),
    details: { keys, tried },
  })
}

function absent(name: string, answer: DnsAnswer): Finding {
  if (answer.status === 'failed') return unanswered('dns_failed', `The key at ${name}`, answer)
  return failed(
    'dkim_missing',
    `There is no key at ${name}.`,
    'Publish the record that your sending provider shows for this selector.',
  )
}

/** A domain without known selectors may still sign. Only its mail names the selector. */
const notGuessed = (isSilent: boolean): Finding =>
  unclear(
    'dkim_selector_unknown',
    isSilent
      ? 'Not all common selectors could be looked up, and the others have no key.'
      : 'None of the common selectors has a key; yours may be a different one.',
    'Give the selector: it is “s=” in the DKIM-Signature header of a mail from the domain.',
  )
