import { parseMailbox } from '../../domain/mailbox.ts'
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
import type { ToolContext } from './context.ts'
import { type Hop, readHops } from './hops.ts'
import { isAligned, readSignatures, type Signature } from './signatures.ts'

export interface HeaderDetails {
  from: string | null
  returnPath: string | null
  messageId: string | null
  date: string | null
  hops: Hop[]
  authentication: AuthenticationResult[]
  signatures: Signature[]
  fields: number
}

interface AuthenticationResult {
  server: string
  method: string
  result: string
  /** Domain that the method authenticated. Null: the field does not name it. */
  domain: string | null
}

/** Fields that may occur once only (RFC 5322, 3.6). */
const SINGLE = ['from', 'sender', 'reply-to', 'to', 'cc', 'message-id', 'date', 'subject']
const NEEDED = ['from', 'date', 'message-id']
const METHODS = ['spf', 'dkim', 'dmarc', 'arc', 'bimi']
const MOST_RESULTS = 20
const LONGEST_SHOWN = 500
const LONGEST_NAME = 253

/** Checks what a mail's header tells about its route and its sender. It makes no look-ups. */
export async function checkHeaders(
  { now }: Pick<ToolContext, 'now'>,
  { headers }: { headers: string },
): Promise<Check<HeaderDetails>> {
  const { fields, oddLines } = readMail(headers)
  const [from] = valuesOf(fields, 'from')
  const fromDomain = domainIn((from && parseMailbox(from)?.address) || from)
  const [returnPath] = valuesOf(fields, 'return-path')
  const {
    signatures,
    isCut,
    findings: ofSignatures,
  } = readSignatures(fields, {
    from: fromDomain,
    now: now(),
  })
  const authentication = readResults(fields)
  const { hops, findings: ofHops } = readHops(valuesOf(fields, 'received'))
  const findings = [
    ...fieldFindings(fields, oddLines),
    ...authentication.map(resultFinding),
    ...alignmentFindings(fromDomain, { signatures, isCut, returnPath: domainIn(returnPath) }),
    ...ofSignatures,
    ...ofHops,
    ...(fields.some(({ name }) => name === 'list-unsubscribe')
      ? [told('list_unsubscribe', 'Recipients can unsubscribe (List-Unsubscribe).')]
      : []),
  ]
  if (fields.length === 0) {
    const fix = 'Copy the header from “show original” in your mail program.'
    findings.splice(
      0,
      findings.length,
      failed('no_header', 'This is not the header of a mail.', fix),
    )
  } else if (authentication.length === 0) {
    const message = 'No receiving server says whether SPF, DKIM and DMARC passed.'
    findings.push(unclear('no_results', message, 'Use the header from the receiving mailbox.'))
  }
  const first = (name: string): string | null =>
    valuesOf(fields, name)[0]?.slice(0, LONGEST_SHOWN) ?? null
  return conclude(findings, {
    fine: isProven(authentication, fromDomain)
      ? 'The header is valid, and the mail is authenticated.'
      : 'The header is valid, but no result authenticates the sender.',
    records: [],
    details: {
      from: first('from'),
      returnPath: first('return-path'),
      messageId: first('message-id'),
      date: first('date'),
      hops,
      authentication,
      signatures,
      fields: fields.length,
    },
  })
}

function fieldFindings(fields: readonly MailField[], oddLines: readonly string[]): Finding[] {
  const findings: Finding[] = []
  for (const name of SINGLE) {
    const count = valuesOf(fields, name).length
    if (count > 1) {
      const message = `The field ${name} appears ${count} times. Receivers may show any of them.`
      const finding = name === 'from' ? failed : warned
      findings.push(finding('field_twice', message, `Send ${name} once.`))
    } else if (count === 0 && NEEDED.includes(name)) {
      const message = `The field ${name} is missing (RFC 5322, 3.6).`
      findings.push(failed('field_missing', message, `Have your program set ${name}.`))
    }
  }
  if (oddLines.length > 0) {
    const message = `Some lines are not fields: “${(oddLines[0] ?? '').slice(0, 80)}”.`
    findings.push(warned('odd_lines', message, 'Paste the header alone, with its folded lines.'))
  }
  return findings
}

/**
 * Reads the results of the server nearest to the mailbox, whose fields stand together. Others, and
 * those below a Received field, could be forged (RFC 8601, 5).
 */
function readResults(fields: readonly MailField[]): AuthenticationResult[] {
  const authenticationResults: AuthenticationResult[] = []
  let server: string | undefined
  for (const { name, value } of fields) {
    if (server !== undefined && name === 'received') break
    if (name !== 'authentication-results') continue
    const [id = '', ...results] = withoutComments(value).split(';')
    const namedServer = (id.trim().split(/\s/, 1)[0] ?? '').toLowerCase().slice(0, LONGEST_NAME)
    if (server !== undefined && server !== namedServer) break
    server = namedServer
    authenticationResults.push(...results.flatMap((result) => resultIn(result, namedServer)))
    if (authenticationResults.length >= MOST_RESULTS) break
  }
  return authenticationResults.slice(0, MOST_RESULTS)
}

const withoutComments = (value: string): string => value.replace(/\([^()]*\)/g, ' ')

function resultIn(text: string, server: string): AuthenticationResult[] {
  const [, method = '', result = ''] = /^\s*([a-z]{1,20})\s*=\s*([a-z]{1,20})/i.exec(text) ?? []
  const methodName = method.toLowerCase()
  if (!METHODS.includes(methodName)) return []
  const [, domain] =
    /\s(?:header\.[di]|header\.from|smtp\.(?:mailfrom|helo))\s*=\s*"?(?:[^\s@;"]{0,64}@)?([a-z0-9._-]{1,253})/i.exec(
      text,
    ) ?? []
  return [
    {
      server,
      method: methodName,
      result: result.toLowerCase(),
      domain: domain?.toLowerCase() ?? null,
    },
  ]
}

/** Returns whether DMARC passed, or what it relies on: DKIM or SPF of the domain in From. */
const isProven = (results: readonly AuthenticationResult[], from: string | undefined): boolean =>
  results.some(
    ({ method, result, domain }) =>
      result === 'pass' &&
      (method === 'dmarc' ||
        ((method === 'dkim' || method === 'spf') && isAligned(domain ?? undefined, from))),
  )

function resultFinding({ server, method, result }: AuthenticationResult): Finding {
  const name = method.toUpperCase()
  const message = `${name}: ${result}, says ${server}.`
  const fix = `Check the ${name} record of the sending domain with these tools.`
  switch (result) {
    case 'pass':
      return passed(`${method}_result`, message)
    case 'none':
    case 'neutral':
    case 'softfail':
    case 'policy':
    case 'bestguesspass':
      return method === 'arc' || method === 'bimi'
        ? told(`${method}_result`, message)
        : warned(`${method}_result`, message, fix)
    case 'temperror':
      return unclear(`${method}_result`, message, 'Try a more recent mail.')
    default:
      return failed(`${method}_result`, message, fix)
  }
}

function alignmentFindings(
  from: string | undefined,
  {
    signatures,
    isCut,
    returnPath,
  }: { signatures: readonly Signature[]; isCut: boolean; returnPath: string | undefined },
): Finding[] {
  if (from === undefined) return []
  if (signatures.some((each) => each.isAligned)) {
    return [passed('aligned', `A signature is from the domain in From, ${from}.`)]
  }
  if (isAligned(returnPath, from)) {
    return [passed('aligned', `The return path is in the domain in From, ${from}.`)]
  }
  const fix = 'Sign with DKIM as the domain in From.'
  if (isCut) {
    const message = `None of the checked signatures is from the domain in From, ${from}.`
    return [unclear('aligned_unknown', message, fix)]
  }
  const message = `Neither a signature nor the return path matches the domain in From, ${from}.`
  return [failed('not_aligned', message, fix)]
}
