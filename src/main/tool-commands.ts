import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config.ts'
import type { CheckTool, Report } from '../core/tools/toolbox.ts'
import type { Severity } from '../domain/tools/report.ts'

const NAMES = ['email', 'spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt', 'bimi'].concat([
  'blocklist',
  'reverse-dns',
])

/** `tools`: the public deliverability tools, in a terminal. */
export function addToolCommands(program: Command): void {
  program
    .command('tools <name> <domain>')
    .description(`check a domain, as the page /tools does: ${NAMES.join(', ')}`)
    .option('--selector <name>', 'the DKIM or BIMI selector')
    .option('--ip <address>', 'spf: whether mail from this address passes')
    .option('--json', 'print the report as the API answers it', false)
    .addHelpText(
      'after',
      '\nIt asks the name servers of this machine, or those of DNS_SERVERS. It exits with 1 when the\nverdict is fail.\n\nExample: letterloom tools spf example.com',
    )
    .action(async (name: string, domain: string, options: ToolOptions) => {
      const report = await runTool(toolOf(name), domain, options)
      process.stdout.write(options.json ? `${jsonOf(report)}\n` : `${textOf(report).join('\n')}\n`)
      process.exitCode = report.verdict === 'fail' ? 1 : 0
    })
}

interface ToolOptions {
  selector?: string
  ip?: string
  json: boolean
}

function toolOf(name: string): string {
  const short = name.replace(/-check$/, '')
  if (NAMES.includes(short)) return `${short}-check`
  throw new InvalidArgumentError(`Tools are ${NAMES.join(', ')}.`)
}

async function runTool(tool: string, given: string, options: ToolOptions): Promise<Report> {
  const [{ CHECKS }, { readDomain, readIp }, { toolboxOf }] = await Promise.all([
    import('../core/tools/toolbox.ts'),
    import('../core/tools/subject.ts'),
    import('./toolbox.ts'),
  ])
  const isTool = (name: string): name is CheckTool => name in CHECKS
  if (!isTool(tool)) throw new InvalidArgumentError(`There is no tool ${tool}.`)
  const toolbox = toolboxOf(readConfig())
  const takesIp = tool === 'blocklist-check' || tool === 'reverse-dns-check'
  const ip = takesIp ? readIp(given) : undefined
  if (ip !== undefined && takesIp) return (await toolbox.check(tool, ip, { ip })).report
  const domain = readDomain(given)
  if (domain === undefined) throw new Error(`${given} is not a domain of the public internet.`)
  const { selector } = options
  const sending = options.ip === undefined ? undefined : readIp(options.ip)
  if (options.ip !== undefined && sending === undefined) {
    throw new Error(`${options.ip} is not an address of the public internet.`)
  }
  const selectors = selector === undefined ? undefined : [selector]
  const input = { domain, selector, selectors, ip: tool === 'spf-check' ? sending : undefined }
  return (await toolbox.check(tool, domain, input)).report
}

const WORDS: Record<Severity, string> = {
  pass: 'ok  ',
  warning: 'WARN',
  fail: 'FAIL',
  unknown: '??  ',
  info: 'info',
}

/** What a stranger's zone says is printed without what a terminal would act on. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '?')

const escapeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** What terminals act on is escaped in strings, also beyond what JSON asks for. */
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
