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
 * The policy of the frame that mails are shown in. The frame has no origin, so that no file of ours
 * reaches it: its one script stands in it and is allowed by its hash. Whatever else is in a mail
 * cannot run, and the mail's styles and pictures show. Of a mail that was sent only pictures in it
 * do, until somebody asks: loading one tells its sender that the mail was opened.
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
