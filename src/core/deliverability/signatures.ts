import { type MailField, valuesOf } from '../../domain/deliverability/mail-fields.ts'
import { failed, type Finding, told, warned } from '../../domain/deliverability/report.ts'
import { parseTags } from '../../domain/deliverability/tags.ts'
import { organizationalDomain } from '../../text/public-suffixes.ts'

export interface Signature {
  domain: string
  selector: string
  algorithm: string
  covers: string[]
  isAligned: boolean
}

export const MOST_SIGNATURES = 5
const MOST_COVERED = 100
const LONGEST_SHOWN = 253

const shorten = (text = ''): string => text.slice(0, LONGEST_SHOWN)

/** Returns whether two domains are of one organization (relaxed alignment, RFC 7489, 3.1). */
export function isAligned(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one === other || sameOrganization(one, other)
}

function sameOrganization(one: string, other: string): boolean {
  const organization = organizationalDomain(one)
  return organization !== undefined && organization === organizationalDomain(other)
}

interface Signatures {
  signatures: Signature[]
  proofs: string[]
  isCut: boolean
  findings: Finding[]
}

export function readSignatures(
  fields: readonly MailField[],
  { from, now }: { from: string | undefined; now: number },
): Signatures {
  const findings: Finding[] = []
  const proofs: string[] = []
  const all = valuesOf(fields, 'dkim-signature')
  const signatures = all.slice(0, MOST_SIGNATURES).map((value) => {
    const { tags } = parseTags(value)
    const domain = shorten(tags.get('d')).toLowerCase()
    const covers = (tags.get('h') ?? '')
      .toLowerCase()
      .split(':', MOST_COVERED)
      .map((name) => name.trim().slice(0, LONGEST_SHOWN))
    findings.push(...signatureFindings(domain, tags, { covers, now }))
    proofs.push(tags.get('b') ?? '')
    return {
      domain,
      selector: shorten(tags.get('s')),
      algorithm: shorten(tags.get('a')),
      covers,
      isAligned: isAligned(domain, from),
    }
  })
  const isCut = all.length > MOST_SIGNATURES
  if (isCut) {
    const message = `The mail has ${all.length} signatures; the first ${MOST_SIGNATURES} are checked.`
    findings.push(told('signatures_many', message))
  }
  return { signatures, proofs, isCut, findings }
}

function signatureFindings(
  domain: string,
  tags: ReadonlyMap<string, string>,
  { covers, now }: { covers: string[]; now: number },
): Finding[] {
  const findings: Finding[] = []
  const of = `The signature of ${domain === '' ? 'nobody' : domain}`
  if (!covers.includes('from')) {
    const message = `${of} does not cover From, so it is not valid.`
    findings.push(failed('signature_from', message, 'Sign From and all fields that people see.'))
  }
  if ((tags.get('a') ?? '').toLowerCase() === 'rsa-sha1') {
    const message = `${of} uses SHA-1, which receivers refuse (RFC 8301).`
    findings.push(failed('signature_sha1', message, 'Sign with rsa-sha256.'))
  }
  if (tags.has('l')) {
    const message = `${of} covers only part of the body (l=), so anyone can add to it.`
    findings.push(warned('signature_length', message, 'Sign without l=.'))
  }
  const expires = tags.get('x')
  if (expires !== undefined && /^\d{1,12}$/.test(expires) && Number(expires) * 1_000 < now) {
    findings.push(told('signature_expired', `${of} has expired, which is normal for old mail.`))
  }
  return findings
}
