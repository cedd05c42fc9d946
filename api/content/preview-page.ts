import type { FastifyReply } from 'fastify'
import type { TemplatePreview } from '../../src/schemas/content/template-preview.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'
import { keepPrivate } from '../http/html-pages.ts'
import { pageStyle } from '../http/page-style.ts'

/** The preview without ids, which are of no use to a reader. */
type PreviewAnswer = Omit<TemplatePreview, 'templateId' | 'contactId'>

/**
 * Policy that the frames inherit. It allows images, as mail programs do, and refuses scripts,
 * frames, forms, style sheets and fonts everywhere.
 */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src http: https: data:',
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

const WIDTHS = [
  { name: 'Desktop', pixels: 1_280, height: 800 },
  { name: 'Phone', pixels: 375, height: 720 },
]

const STYLE = `
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 2vw, 2rem) }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 }
dt { font-weight: 600 } dd { margin: 0 }
iframe { display: block; max-width: 100%; background: #ffffff; border: 1px solid #6b7280; border-radius: 8px }
ul { margin: 0; padding-left: 1.25rem }
pre { margin: 0; padding: .75rem; border: 1px solid #6b7280; border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
`

/**
 * Builds a page that shows a mail at the width of a phone and of a desktop. The mail is in frames
 * without permissions: its scripts do not run, nobody is redirected, and its links open nothing.
 * The policy is in the page as well, for readers who save it as a file.
 */
export function previewPage(preview: PreviewAnswer): string {
  const { name, email, subject, previewText, sizeBytes, problem } = preview
  const facts: [string, string | null][] = [
    ['To', email],
    ['Subject', subject],
    ['Preview text', previewText],
    ['HTML', problem ? null : `${Math.ceil(sizeBytes / 1_024)} KB`],
  ]
  const rows = facts.flatMap(([term, said]) =>
    said === null ? [] : [`<dt>${term}</dt><dd>${escapeHtml(said)}</dd>`],
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<style>${pageStyle(undefined)}${STYLE}</style>
</head>
<body><main><h1>${escapeHtml(name)}</h1>
<dl>${rows.join('\n')}</dl>
${checksHtml(preview)}
${problem ? `<h2>There is no mail</h2><p role="alert">${escapeHtml(problem.message)}</p>` : mailHtml(preview)}
</main></body>
</html>
`
}

function checksHtml({ checks, warnings = [] }: PreviewAnswer): string {
  const problems = [
    ...checks.map(({ severity, message }) => ({ severity, message })),
    ...warnings.map(({ message }) => ({ severity: 'warning', message })),
  ]
  if (problems.length === 0) return ''
  const items = problems.map(
    ({ severity, message }) =>
      `<li>${severity === 'warning' ? '<b>Warning:</b> ' : ''}${escapeHtml(message)}</li>`,
  )
  return `<h2>Before it is sent</h2><ul>${items.join('\n')}</ul>`
}

const mailHtml = ({ html, text }: PreviewAnswer): string =>
  [
    ...WIDTHS.map(
      ({ name, pixels, height }) =>
        `<h2>${name}</h2><iframe title="${name}, ${pixels} pixels" sandbox="" width="${pixels}" height="${height}" srcdoc="${escapeHtml(html ?? '')}"></iframe>`,
    ),
    `<h2>Text part</h2><pre>${escapeHtml(text ?? '')}</pre>`,
  ].join('\n')

export const sendPreviewPage = (reply: FastifyReply, preview: PreviewAnswer): FastifyReply =>
  keepPrivate(reply)
    .header('content-security-policy', `${POLICY}; frame-ancestors 'none'`)
    .type('text/html; charset=utf-8')
    .send(previewPage(preview))
