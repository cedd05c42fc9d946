import {
  type Check,
  conclude,
  failed,
  type Finding,
  passed,
  warned,
} from '../../domain/deliverability/report.ts'
import { hasVersion, parseTags } from '../../domain/deliverability/tags.ts'
import { recording, shownText, type ToolContext } from './context.ts'
import { unanswered } from './answers.ts'

export interface TlsRptDetails {
  record: string | null
  rua: string[]
}

const MOST_URIS = 10
const LONGEST_URI = 1_000

export async function checkTlsRpt(
  context: ToolContext,
  { domain }: { domain: string },
): Promise<Check<TlsRptDetails>> {
  const { ask, records } = recording(context.lookups)
  const name = `_smtp._tls.${domain}`
  const answer = await ask(name, 'TXT')
  const recordTexts =
    answer.status === 'found' ? answer.values.filter((text) => hasVersion(text, 'TLSRPTv1')) : []
  const [record = null] = recordTexts
  const rua =
    record === null
      ? []
      : (parseTags(record).tags.get('rua') ?? '')
          .split(',')
          .map((uri) => uri.trim())
          .filter((uri) => uri !== '')
          .slice(0, MOST_URIS)
          .map((uri) => uri.slice(0, LONGEST_URI))
  const findings: Finding[] = []
  if (answer.status === 'failed') {
    findings.push(unanswered('dns_failed', name, answer))
  } else if (record === null) {
    const fix = `Publish a TXT record at ${name}: “v=TLSRPTv1; rua=mailto:tls@${domain}”.`
    findings.push(
      warned('tls_rpt_missing', 'The domain receives no reports about failed encryption.', fix),
    )
  } else if (recordTexts.length > 1) {
    const message = `${name} has more than one record, so no reports are sent.`
    findings.push(failed('tls_rpt_many', message, 'Keep one of them and delete the others.'))
  } else if (
    rua.length === 0 ||
    !rua.every((uri) => /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/i.test(uri))
  ) {
    const message = 'The address for reports (rua) is missing or is neither mailto: nor https:.'
    findings.push(failed('tls_rpt_rua', message, 'Set rua to mailto: and an address.'))
  } else findings.push(passed('tls_rpt_found', 'Failed encryption is reported.'))
  return conclude(findings, {
    fine: `${domain} gets reports about failed encryption.`,
    records: records(),
    details: { record: shownText(record), rua },
  })
}
