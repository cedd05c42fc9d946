import { parseMailbox } from '../../domain/mailbox.ts'
import { isPublicDomain } from '../../domain/deliverability/domain-name.ts'
import {
  domainIn,
  type MailField,
  readMail,
  valuesOf,
} from '../../domain/deliverability/mail-fields.ts'
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
import { type VerifiedSignature, signatureId, verifyDkim } from '../../mail/verify-dkim.ts'
import type { Lookup } from '../../net/lookups.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'
import { recording, type ToolContext } from './context.ts'
import { findDmarc } from './dmarc.ts'
import { readSpfTree } from './spf-tree.ts'
import { isAligned, MOST_SIGNATURES, readSignatures, type Signature } from './signatures.ts'
import { unanswered } from './answers.ts'

export interface UnsubscribeDetails {
  from: string | null
  listUnsubscribe: string | null
  listUnsubscribePost: string | null
  /** Addresses in List-Unsubscribe. They are never called. */
  addresses: string[]
  signatures: (Signature & Pick<VerifiedSignature, 'result' | 'reason'>)[]
  isOneClick: boolean
}

const MOST_ADDRESSES = 10
const LONGEST_SHOWN = 2_000
const POST_VALUE = 'List-Unsubscribe=One-Click'
const MOST_LINES = 1_000
const ENCODED_LINE = /^[A-Za-z0-9+/]{60,76}={0,2}$/
const SIGNED = ['list-unsubscribe', 'list-unsubscribe-post']

/**
 * Checks a mail against RFC 8058 and the bulk-sender rules of Google, Yahoo and Microsoft.
 * Addresses in the mail are never called.
 */
export async function checkUnsubscribe(
  context: ToolContext,
  { message }: { message: string },
): Promise<Check<UnsubscribeDetails>> {
  const { ask, records } = recording(context.lookups)
  const { fields, body } = readMail(message)
  const from = fromOf(fields)
  const {
    signatures,
    proofs,
    isCut,
    findings: ofSignatures,
  } = readSignatures(fields, { from, now: context.now() })
  const verified =
    signatures.length === 0
      ? []
      : await verifyDkim({ message, findTxt: txtBy(ask), now: context.now() })
  const judged = signatures.map((signature, index) => ({
    ...signature,
    ...resultFor(proofs[index] ?? '', verified),
  }))
  const [list] = valuesOf(fields, 'list-unsubscribe')
  const [post] = valuesOf(fields, 'list-unsubscribe-post')
  const addresses = addressesIn(list ?? '')
  const rfc = [
    ...listFindings(fields, addresses),
    ...postFindings(fields),
    ...coverFindings(judged, { hasFields: list !== undefined && post !== undefined, isCut }),
  ]
  const findings = [
    ...rfc,
    ...ofSignatures,
    ...fromFindings(fields, from),
    ...alignmentFindings(from, judged, isCut),
    ...(await domainFindings(ask, from, domainIn(valuesOf(fields, 'return-path')[0]))),
    ...bodyFindings(body),
  ]
  if (fields.length === 0) {
    const fix = 'Paste the whole mail: “show original” in your mail program.'
    findings.splice(0, findings.length, failed('no_mail', 'This is not a mail.', fix))
  }
  return conclude(findings, {
    fine: 'Recipients can unsubscribe with one click, and the mail satisfies the rules for bulk mail.',
    records: records(),
    details: {
      from: from ?? null,
      listUnsubscribe: list?.slice(0, LONGEST_SHOWN) ?? null,
      listUnsubscribePost: post?.slice(0, LONGEST_SHOWN) ?? null,
      addresses,
      signatures: judged,
      isOneClick: rfc.every(({ severity }) => severity === 'pass' || severity === 'info'),
    },
  })
}

function fromOf(fields: readonly MailField[]): string | undefined {
  const [from] = valuesOf(fields, 'from')
  const domain = domainIn((from && parseMailbox(from)?.address) || from)
  return domain !== undefined && isPublicDomain(domain) ? domain : undefined
}

const txtBy =
  (ask: Lookup) =>
  async (name: string): Promise<string[]> => {
    const answer = await ask(name, 'TXT')
    if (answer.status === 'found') return [...answer.values]
    const code = answer.status === 'failed' ? 'ETIMEOUT' : 'ENOTFOUND'
    throw Object.assign(new Error('no key'), { code })
  }

function resultFor(
  proof: string,
  verified: readonly VerifiedSignature[] | undefined,
): Pick<VerifiedSignature, 'result' | 'reason'> {
  if (verified === undefined) {
    return { result: 'unknown', reason: 'the header is too large to be verified' }
  }
  // Signatures with one `b=` are copies, and at most one of them is genuine.
  const results = verified.filter((each) => each.id === signatureId(proof))
  const decisiveResult = results.find(({ result }) => result !== 'pass') ?? results[0]
  const { result = 'fail', reason = 'it could not be verified' } = decisiveResult ?? {}
  return { result, reason: result === 'pass' ? null : reason }
}

const addressesIn = (value: string): string[] =>
  Array.from(value.matchAll(/<([^<>]{1,2000})>/g), ([, address = '']) =>
    address.replace(/\s/g, ''),
  ).slice(0, MOST_ADDRESSES)

function listFindings(fields: readonly MailField[], addresses: readonly string[]): Finding[] {
  const values = valuesOf(fields, 'list-unsubscribe')
  const fix = 'Add “List-Unsubscribe: <https://…>” with an address for each recipient.'
  if (values.length === 0) {
    const message = 'The field List-Unsubscribe is missing.'
    return [failed('list_unsubscribe_missing', message, fix)]
  }
  if (values.length > 1) {
    const message = 'The field List-Unsubscribe appears more than once.'
    return [failed('list_unsubscribe_twice', message, 'Put all addresses into one field.')]
  }
  if (!addresses.some((address) => /^https:\/\/[^/\s]+/i.test(address))) {
    const message = 'List-Unsubscribe has no https address, which one-click unsubscribing requires.'
    return [failed('list_unsubscribe_https', message, fix)]
  }
  return [passed('list_unsubscribe', 'List-Unsubscribe has an https address.')]
}

function postFindings(fields: readonly MailField[]): Finding[] {
  const values = valuesOf(fields, 'list-unsubscribe-post')
  const fix = `Add the field “List-Unsubscribe-Post: ${POST_VALUE}”, exactly as written.`
  if (values.length === 0) {
    const message = 'The field List-Unsubscribe-Post is missing.'
    return [failed('list_unsubscribe_post_missing', message, fix)]
  }
  if (values.length > 1 || values[0] !== POST_VALUE) {
    const message = `List-Unsubscribe-Post must be “${POST_VALUE}” and appear once.`
    return [failed('list_unsubscribe_post', message, fix)]
  }
  return [passed('list_unsubscribe_post', 'List-Unsubscribe-Post says one click.')]
}

type Judged = UnsubscribeDetails['signatures'][number]

function coverFindings(
  signatures: readonly Judged[],
  { hasFields, isCut }: { hasFields: boolean; isCut: boolean },
): Finding[] {
  const fix = 'Sign the mail with DKIM, and name both fields in h=.'
  if (signatures.length === 0) {
    return [failed('not_signed', 'The mail has no DKIM signature.', fix)]
  }
  const covering = signatures.filter(({ covers }) => SIGNED.every((name) => covers.includes(name)))
  const isGood = covering.some(({ result }) => result === 'pass')
  if (isCut && !isGood) return [notLookedAt('signature_unknown')]
  if (covering.length === 0 && hasFields) {
    const message = 'No signature covers List-Unsubscribe and List-Unsubscribe-Post.'
    return [failed('not_covered', message, fix)]
  }
  const considered = covering.length > 0 ? covering : signatures.slice(0, MOST_SIGNATURES)
  const good = considered.find(({ result }) => result === 'pass')
  if (good) return [passed('signature', `The signature of ${good.domain} is valid.`)]
  if (considered.some(({ result }) => result === 'unknown')) {
    const { reason } = considered.find(({ result }) => result === 'unknown') ?? { reason: null }
    const message = `The signature could not be verified${reason === null ? '' : ` (${reason})`}.`
    return [unclear('signature_unknown', message, 'Try again in a minute.')]
  }
  const [{ domain, reason } = { domain: '', reason: null }] = considered
  const message = `The signature of ${domain} is not valid${reason === null ? '' : ` (${reason})`}.`
  return [
    failed(
      'signature_invalid',
      message,
      'Paste the mail as it was received, unchanged; if it is, publish the key or sign again.',
    ),
  ]
}

function fromFindings(fields: readonly MailField[], from: string | undefined): Finding[] {
  const count = valuesOf(fields, 'from').length
  if (count !== 1 || from === undefined) {
    const message = 'The mail must have one From field, with an address in a public domain.'
    return [failed('from', message, 'Send with one From address of your own domain.')]
  }
  return ['date', 'message-id']
    .filter((name) => valuesOf(fields, name).length !== 1)
    .map((name) => {
      const message = `The field ${name} must appear exactly once (RFC 5322, 3.6).`
      return failed('field_missing', message, `Have your program set ${name}.`)
    })
}

/** A requirement that the first signatures do not meet may be met by one that was not read. */
const notLookedAt = (code: string): Finding =>
  unclear(
    code,
    `Only the first ${MOST_SIGNATURES} signatures are checked, and none of them is sufficient.`,
    'Send with fewer signatures.',
  )

function alignmentFindings(
  from: string | undefined,
  signatures: readonly Judged[],
  isCut: boolean,
): Finding[] {
  if (from === undefined || signatures.length === 0) return []
  if (signatures.some((each) => isAligned(each.domain, from) && each.result !== 'fail')) {
    return [passed('aligned', 'A signature is from the domain in From.')]
  }
  if (isCut) return [notLookedAt('aligned_unknown')]
  const message = `No valid signature is from the domain in From, ${from}.`
  return [failed('not_aligned', message, 'Sign with DKIM as the domain in From.')]
}

async function domainFindings(
  ask: Lookup,
  from: string | undefined,
  returnPath: string | undefined,
): Promise<Finding[]> {
  if (from === undefined) return []
  const findings: Finding[] = []
  const dmarc = await findDmarc(ask, from, organizationalDomain(from))
  if (dmarc.status === 'found') findings.push(passed('dmarc', `${from} has a DMARC record.`))
  else if (dmarc.status === 'failed') {
    findings.push(unanswered('dmarc', `The DMARC record of ${from}`, dmarc.failure))
  } else {
    const fix = `Publish “v=DMARC1; p=none; rua=mailto:dmarc@${from}” as a TXT record at _dmarc.${from}.`
    findings.push(failed('dmarc', `${from} has no DMARC record, which bulk senders need.`, fix))
  }
  const sender = returnPath !== undefined && isPublicDomain(returnPath) ? returnPath : from
  const { root, lookups } = await readSpfTree(ask, sender)
  if (root.failure !== null) {
    findings.push(unanswered('spf', `The SPF record of ${sender}`, root.failure))
  } else if (root.status === 'record' && root.problem === null && lookups <= 10) {
    findings.push(passed('spf', `${sender} has an SPF record.`))
  } else {
    const message = `${sender} has no usable SPF record.`
    findings.push(failed('spf', message, `Check ${sender} with the SPF tool.`))
  }
  return findings
}

/** Looks for a link that people see, besides the one that mail programs show. */
function bodyFindings(body: string): Finding[] {
  if (body.trim() === '') {
    return [told('no_body', 'Only the header was given, so the link in the body is not checked.')]
  }
  const text = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
  const isEncoded = text.split('\n', MOST_LINES).some((line) => ENCODED_LINE.test(line))
  if (
    /unsubscribe|opt[ -]?out|abmelden|abbestellen|désabonn|désinscri|darse de baja|afmelden/i.test(
      text,
    )
  ) {
    return [passed('visible_link', 'The body mentions unsubscribing.')]
  }
  if (isEncoded)
    return [told('encoded_body', 'The body is encoded in base64, so its link is not checked.')]
  const message = 'No unsubscribe link was found in the body.'
  return [warned('visible_link', message, 'Add a visible unsubscribe link.')]
}
