import { sha256 } from '../../src/keys/tokens.ts'

/**
 * The policy of the console's page. Everything is a file of ours. The nonce is for the code editor
 * alone, which writes one style element.
 */
export const shellPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')

const SCRIPT = /<script>([^]*?)<\/script>/

/**
 * Returns the policy of the frame that shows mails. The frame has no origin, so it can load none of
 * our files: its one script is inline and allowed by its hash. Nothing else in a mail can run, but
 * its styles and pictures show. For a mail that was sent, remote pictures wait for a click: loading
 * one tells the sender that the mail was opened.
 */
export function framePolicy(page: string, pictures: 'all' | 'embedded'): string {
  const [, script = ''] = SCRIPT.exec(page) ?? []
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${sha256(script).toString('base64')}'`,
    "style-src 'unsafe-inline'",
    pictures === 'all' ? 'img-src https: http: data:' : 'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}
