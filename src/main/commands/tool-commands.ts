import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../../config.ts'
import type { CheckTool, Report, Toolbox } from '../../core/deliverability/toolbox.ts'
import { isAddress } from '../../domain/text.ts'
import type { Severity } from '../../domain/deliverability/report.ts'

/** Tools that look up a domain. Two of them also take an address. */
const CHECKS_BY_NAME = ['email', 'spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt', 'bimi'].concat(
  ['blocklist', 'reverse-dns'],
)
const TEXT_TOOLS = ['address', 'headers', 'unsubscribe', 'generator'] as const
type TextTool = (typeof TEXT_TOOLS)[number]
const NAMES = [...CHECKS_BY_NAME, ...TEXT_TOOLS]

export function addToolCommands(program: Command): void {
  program
    .command('tools <name> <subject>')
    .description(`check a domain, as the page /tools does: ${NAMES.join(', ')}`)
    .option('--selector <name>', 'the DKIM or BIMI selector')
    .option('--ip <address>', 'spf: whether mail from this address passes')
    .option('--policy <policy>', 'generator: none, quarantine or reject', 'none')
    .option('--reports <address>', 'generator: who gets the reports')
    .option('--json', 'print the report as the API answers it', false)
    .addHelpText(
      'after',
      '\nThe subject is a domain; of address an email address; of headers and unsubscribe a file with the\nmail, or - for standard input.\n\nIt asks the name servers of this machine, or those of DNS_SERVERS. It exits with 1 when the\nverdict is fail.\n\nExample: letterloom tools spf example.com',
    )
    .action(async (name: string, subject: string, options: ToolOptions) => {
      const report = await runTool(name, subject, options)
      process.stdout.write(options.json ? `${jsonOf(report)}\n` : `${textOf(report).join('\n')}\n`)
      process.exitCode = report.verdict === 'fail' ? 1 : 0
    })
}

interface ToolOptions {
  selector?: string
  ip?: string
  policy: string
  reports?: string
  json: boolean
}

async function runTool(name: string, subject: string, options: ToolOptions): Promise<Report> {
  const { toolboxOf } = await import('../programs/toolbox.ts')
  const short = name.replace(/-check$/, '')
  const ofText = TEXT_TOOLS.find((each) => each === short)
  if (ofText === undefined && !CHECKS_BY_NAME.includes(short)) {
    throw new InvalidArgumentError(`Tools are ${NAMES.join(', ')}.`)
  }
  const toolbox = toolboxOf(readConfig())
  return ofText === undefined
    ? runCheck(toolbox, `${short}-check`, subject, options)
    : runTextTool(toolbox, ofText, subject, options)
}

async function runCheck(
  toolbox: Toolbox,
  tool: string,
  toolInput: string,
  options: ToolOptions,
): Promise<Report> {
  const [{ CHECKS }, { readDomain, readIp }] = await Promise.all([
    import('../../core/deliverability/toolbox.ts'),
    import('../../core/deliverability/subject.ts'),
  ])
  const isTool = (name: string): name is CheckTool => name in CHECKS
  if (!isTool(tool)) throw new InvalidArgumentError(`There is no tool ${tool}.`)
  const takesIp = tool === 'blocklist-check' || tool === 'reverse-dns-check'
  const ip = takesIp ? readIp(toolInput) : undefined
  if (ip !== undefined && takesIp) return (await toolbox.check(tool, ip, { ip })).report
  const domain = readDomain(toolInput)
  if (domain === undefined) throw new Error(`${toolInput} is not a domain of the public internet.`)
  const { selector } = options
  const sending = options.ip === undefined ? undefined : readIp(options.ip)
  if (options.ip !== undefined && sending === undefined) {
    throw new Error(`${options.ip} is not an address of the public internet.`)
  }
  const selectors = selector === undefined ? undefined : [selector]
  const input = { domain, selector, selectors, ip: tool === 'spf-check' ? sending : undefined }
  return (await toolbox.check(tool, domain, input)).report
}

async function runTextTool(
  toolbox: Toolbox,
  tool: TextTool,
  input: string,
  { policy, reports }: ToolOptions,
): Promise<Report> {
  const [tools, { DMARC_POLICIES }] = await Promise.all([
    import('../../../api/deliverability/mail-tools.ts'),
    import('../../core/deliverability/dmarc-record.ts'),
  ])
  switch (tool) {
    case 'address':
      return tools.runAddress(toolbox, input)
    case 'headers':
      return tools.runHeaders(toolbox, await mailIn(input))
    case 'unsubscribe':
      return tools.runUnsubscribe(toolbox, await mailIn(input))
    case 'generator': {
      const wantedPolicy = DMARC_POLICIES.find((each) => each === policy)
      if (wantedPolicy === undefined) {
        throw new InvalidArgumentError(`A policy is one of ${DMARC_POLICIES.join(', ')}.`)
      }
      if (reports !== undefined && !isAddress(reports)) {
        throw new InvalidArgumentError('Reports go to an email address.')
      }
      const aggregateReports = reports === undefined ? [] : [reports]
      return tools.runDmarcGenerator(toolbox, {
        domain: input,
        policy: wantedPolicy,
        aggregateReports,
      })
    }
  }
}

/** Reads the mail in a file, or from standard input for `-`, up to the API's limit. */
async function mailIn(path: string): Promise<string> {
  const { LONGEST_MAIL } = await import('../../schemas/deliverability/mail.ts')
  const mail = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')
  if (mail.length <= LONGEST_MAIL) return mail
  throw new Error(`A mail has at most ${LONGEST_MAIL} characters.`)
}

const WORDS: Record<Severity, string> = {
  pass: 'ok  ',
  warning: 'WARN',
  fail: 'FAIL',
  unknown: '??  ',
  info: 'info',
}

/** Escapes control characters, since strangers' zones may contain anything. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '?')

const escapeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** Escapes control characters in strings, beyond what JSON requires. */
const jsonOf = (report: Report): string =>
  JSON.stringify(report, null, 2).replace(/[\u007f-\u009f\p{Cf}]/gu, (text) =>
    Array.from({ length: text.length }, (_, at) => escapeOf(text.charCodeAt(at))).join(''),
  )

function textOf({ tool, subject, verdict, summary, findings, records, lookups }: Report): string[] {
  return [
    `${tool} ${subject}: ${verdict}`,
    plain(summary),
    '',
    ...findings.flatMap(({ severity, message, fix }) => [
      `${WORDS[severity]}  ${plain(message)}`,
      ...(fix === null ? [] : [`      Next: ${plain(fix)}`]),
    ]),
    '',
    ...records.flatMap(({ name, type, status, values }) =>
      status === 'found'
        ? values.map((value) => `${type} ${plain(name)}  ${plain(value)}`)
        : [`${type} ${plain(name)}  (${status})`],
    ),
    '',
    `${lookups} look-ups`,
  ]
}
