import { createHash } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { parseTags } from '../domain/deliverability/tags.ts'

export interface VerifiedSignature {
  id: string
  result: 'pass' | 'fail' | 'unknown'
  /** Null: `pass`. */
  reason: string | null
}

interface Verification {
  message: string
  findTxt: (name: string) => Promise<string[]>
  now: number
}

/** Larger headers are not verified. Within it the library takes some milliseconds. */
const LONGEST_HEADER = 65_536
const MOST_FIELDS = 500
const MOST_SIGNATURES = 5
const MOST_COVERED = 100

/**
 * Verifies the first five DKIM signatures of a mail (RFC 6376). `unknown` are signatures with a
 * length (`l=`), which prove nothing about the whole mail and make the library print to the
 * console, and those with more names in `h=` than any program writes. A time that no program writes
 * makes a signature invalid. Returns undefined if the header is too large.
 */
export async function verifyDkim(
  verification: Verification,
): Promise<VerifiedSignature[] | undefined> {
  const { message, findTxt, now } = verification
  const limitedMail = withinLimits(message)
  if (limitedMail === undefined) return undefined
  const { results } = await dkimVerify(Buffer.from(limitedMail.mail, 'utf8'), {
    resolver: async (name: string, type: string) => {
      if (type !== 'TXT') return []
      const values = await findTxt(name)
      return values.map((value) => [value])
    },
    curTime: new Date(now),
  })
  const verified = results.flatMap(({ id, status }): VerifiedSignature[] => {
    if (id === undefined) return []
    const reason = typeof status.comment === 'string' ? status.comment : null
    return [{ id, result: resultOf(status.result), reason }]
  })
  return [...verified, ...limitedMail.leftOut]
}

function resultOf(result: string): VerifiedSignature['result'] {
  if (result === 'pass') return 'pass'
  return result === 'temperror' ? 'unknown' : 'fail'
}

/** The library's name of a signature: its `b=`. */
export const signatureId = (b: string): string =>
  createHash('sha256')
    .update(Buffer.from(b.replace(/\s/g, ''), 'base64'))
    .digest('hex')

/** Returns the mail with the signatures to verify, and the others. Lines end in CRLF. */
function withinLimits(message: string): { mail: string; leftOut: VerifiedSignature[] } | undefined {
  const text = message.replace(/\r?\n/g, '\r\n')
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  if (head.length > LONGEST_HEADER) return undefined
  const fields = head.split(/\r\n(?![ \t])/)
  if (fields.length > MOST_FIELDS) return undefined
  let signatures = 0
  const leftOut: VerifiedSignature[] = []
  const keptFields = fields.filter((field) => {
    if (/^arc-/i.test(field)) return false
    const [, value] = /^dkim-signature[ \t]*:([^]*)$/i.exec(field) ?? []
    if (value === undefined) return true
    if (++signatures > MOST_SIGNATURES) return false
    const unusual = whyNotVerified(value)
    if (unusual) leftOut.push(unusual)
    return unusual === undefined
  })
  return { mail: keptFields.join('\r\n') + (end < 0 ? '\r\n\r\n' : text.slice(end)), leftOut }
}

function whyNotVerified(value: string): VerifiedSignature | undefined {
  const { tags } = parseTags(value)
  const id = signatureId(tags.get('b') ?? '')
  const isTime = (text: string | undefined) => text === undefined || /^\d{1,11}$/.test(text)
  if (!isTime(tags.get('t')) || !isTime(tags.get('x'))) {
    return { id, result: 'fail', reason: 'its time is invalid' }
  }
  if (tags.has('l')) {
    return { id, result: 'unknown', reason: 'with l= it is not verified here' }
  }
  const covered = (tags.get('h') ?? '').split(':', MOST_COVERED + 1).length
  if (covered <= MOST_COVERED) return undefined
  return { id, result: 'unknown', reason: 'it names too many fields to be verified here' }
}
