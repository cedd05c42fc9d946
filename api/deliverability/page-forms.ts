import { escapeHtml } from '../../src/domain/escape-html.ts'

export type Values = Readonly<Record<string, string>>

interface Field {
  name: string
  label: string
  hint?: string
  example?: string
  /** `lines`: a multi-line text. A list: one of these values. */
  kind?: 'lines' | readonly string[]
  isOptional?: true
}

export interface ToolForm {
  tool: string
  label: string
  lead: string
  fields: readonly Field[]
  /** The value is a long text, which is sent with POST. The report has no address. */
  isPosted?: true
}

const DOMAIN: Field = { name: 'domain', label: 'Domain', example: 'example.com' }
const DOMAIN_OR_IP: Field = {
  name: 'domain',
  label: 'Domain or IP address',
  example: 'example.com',
}
const SELECTOR: Field = {
  name: 'selector',
  label: 'DKIM selector',
  hint: '“s=” in the DKIM-Signature header. Leave it empty to try common ones',
  example: 'selector1',
  isOptional: true,
}
const POLICY = ['none', 'quarantine', 'reject'] as const

/** Forms in the order of the page. The first one is shown at the page's own address. */
export const FORMS: readonly ToolForm[] = [
  {
    tool: 'email-check',
    label: 'Everything',
    lead: 'Everything that decides whether mail of a domain arrives, with a grade.',
    fields: [DOMAIN, SELECTOR],
  },
  {
    tool: 'spf-check',
    label: 'SPF',
    lead: 'Who may send mail of a domain, and whether receivers can follow the record.',
    fields: [
      DOMAIN,
      {
        name: 'ip',
        label: 'Sending IP address',
        hint: 'to check whether mail from it passes',
        example: '9.9.9.9',
        isOptional: true,
      },
    ],
  },
  {
    tool: 'dkim-check',
    label: 'DKIM',
    lead: 'The keys that prove the signatures of a domain.',
    fields: [DOMAIN, SELECTOR],
  },
  {
    tool: 'dmarc-check',
    label: 'DMARC',
    lead: 'What receivers do with mail that is not proven to be of a domain.',
    fields: [DOMAIN],
  },
  { tool: 'mx-check', label: 'MX', lead: 'Where mail to a domain arrives.', fields: [DOMAIN] },
  {
    tool: 'mta-sts-check',
    label: 'MTA-STS',
    lead: 'Whether mail to a domain has to be encrypted.',
    fields: [DOMAIN],
  },
  {
    tool: 'tls-rpt-check',
    label: 'TLS-RPT',
    lead: 'Who is told when mail to a domain could not be encrypted.',
    fields: [DOMAIN],
  },
  {
    tool: 'bimi-check',
    label: 'BIMI',
    lead: 'The logo that mailbox providers show beside mail of a domain.',
    fields: [DOMAIN],
  },
  {
    tool: 'blocklist-check',
    label: 'Blocklists',
    lead: 'Whether a domain or an address is on a list of senders of spam.',
    fields: [DOMAIN_OR_IP],
  },
  {
    tool: 'reverse-dns-check',
    label: 'Reverse DNS',
    lead: 'Whether sending addresses have a name that leads back to them.',
    fields: [DOMAIN_OR_IP],
  },
  {
    tool: 'validate-address',
    label: 'Address',
    lead: 'Whether mail to an address could arrive. The mail server is not asked.',
    fields: [{ name: 'address', label: 'Email address', example: 'ann@example.com' }],
    isPosted: true,
  },
  {
    tool: 'headers',
    label: 'Headers',
    lead: 'The way of a mail, and what the receiving server thought of it.',
    fields: [
      {
        name: 'headers',
        label: 'Header of the mail',
        hint: 'as “show original” displays it',
        kind: 'lines',
      },
    ],
    isPosted: true,
  },
  {
    tool: 'unsubscribe-check',
    label: 'Unsubscribe',
    lead: 'Whether a mail satisfies RFC 8058 and the rules of Google, Yahoo and Microsoft for bulk mail.',
    fields: [
      {
        name: 'message',
        label: 'The whole mail',
        hint: 'as it was received, unchanged. It is not stored, and its links are not opened',
        kind: 'lines',
      },
    ],
    isPosted: true,
  },
  {
    tool: 'dmarc-generator',
    label: 'DMARC generator',
    lead: 'Writes the DMARC record that you want.',
    fields: [
      DOMAIN,
      { name: 'policy', label: 'Policy', kind: POLICY },
      {
        name: 'rua',
        label: 'Address for reports',
        example: 'dmarc@example.com',
        isOptional: true,
      },
    ],
  },
]

export function formHtml({ tool, fields, isPosted }: ToolForm, values: Values): string {
  const hidden = `<input type="hidden" name="tool" value="${escapeHtml(tool)}">`
  return `<form class="tool" action="/tools" method="${isPosted ? 'post' : 'get'}">${hidden}
<div class="fields">${fields.map((field) => fieldHtml(field, values[field.name] ?? '')).join('\n')}</div>
<button>${tool === 'dmarc-generator' ? 'Write the record' : 'Check'}</button></form>`
}

function fieldHtml(field: Field, value: string): string {
  const { name, label, hint, example, kind, isOptional } = field
  const note = [...(isOptional ? ['optional'] : []), ...(hint === undefined ? [] : [hint])]
  const small = note.length === 0 ? '' : ` <small>${escapeHtml(note.join('; '))}</small>`
  const attributes = `name="${name}"${isOptional ? '' : ' required'}`
  const placeholder = example === undefined ? '' : ` placeholder="${escapeHtml(example)}"`
  const isLines = kind === 'lines'
  const control = isLines
    ? `<textarea ${attributes} spellcheck="false">\n${escapeHtml(value)}</textarea>`
    : kind === undefined
      ? `<input type="text" ${attributes} value="${escapeHtml(value)}"${placeholder} autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="1024">`
      : `<select ${attributes}>${kind.map((each) => option(each, value)).join('')}</select>`
  return `<label${isLines ? ' class="wide"' : ''}>${escapeHtml(label)}${small}${control}</label>`
}

const option = (word: string, value: string): string =>
  `<option${word === value ? ' selected' : ''}>${escapeHtml(word)}</option>`
