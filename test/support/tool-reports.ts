import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { KNOWN_FORMATS } from '../../api/http/formats.ts'
import type { Report } from '../../src/core/deliverability/toolbox.ts'
import * as checks from '../../src/schemas/deliverability/checks.ts'
import * as mail from '../../src/schemas/deliverability/mail.ts'

/** Documented schema of each tool's answer. */
const SCHEMAS: Readonly<Record<string, object>> = {
  'email-check': checks.EmailReport,
  'spf-check': checks.SpfReport,
  'dkim-check': checks.DkimReport,
  'dmarc-check': checks.DmarcReport,
  'mx-check': checks.MxReport,
  'mta-sts-check': checks.MtaStsReport,
  'tls-rpt-check': checks.TlsRptReport,
  'bimi-check': checks.BimiReport,
  'blocklist-check': checks.BlocklistReport,
  'reverse-dns-check': checks.ReverseDnsReport,
  'validate-address': mail.AddressReport,
  headers: mail.HeaderReport,
  'unsubscribe-check': mail.UnsubscribeReport,
  'dmarc-generator': mail.DmarcRecordReport,
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: KNOWN_FORMATS })
const validators = new Map<string, ValidateFunction>()

/**
 * Deviations of a report from its document, including unknown fields, and findings without a
 * sentence about the next step.
 */
export function problemsOf(report: Report): unknown[] {
  const schema = SCHEMAS[report.tool]
  if (schema === undefined) return [`no schema of ${report.tool}`]
  const validate = validators.get(report.tool) ?? ajv.compile(closed(schema) as object)
  validators.set(report.tool, validate)
  // As it is answered: what is undefined is not there.
  validate(JSON.parse(JSON.stringify(report)))
  const wanting = report.findings.filter(
    ({ severity, fix }) =>
      (severity === 'fail' || severity === 'warning') && (fix === null || !fix.endsWith('.')),
  )
  return [...(validate.errors ?? []), ...wanting]
}

/** The schema with further fields forbidden. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'examples' ? value : closed(value),
    ]),
  )
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}
