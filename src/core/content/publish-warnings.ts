import type { MailCheck } from '../../domain/content/mail-check.ts'
import type { Content } from '../../mail/content.ts'
import type { Warning } from '../../schemas/common.ts'

const PATHS: Record<MailCheck['part'], string> = {
  subject: 'subject',
  html: 'source',
  text: 'textContent',
}

export const publishWarnings = ({ checks, isInlined }: Content): Warning[] => [
  ...checks.map(({ code, part, message }) => ({ reason: code, path: PATHS[part], message })),
  ...(isInlined ? [] : [{ reason: 'styles_not_inlined', path: 'source', message: NOT_INLINED }]),
]

const NOT_INLINED =
  'The styles stay in <style>, which some mail programs ignore: close all tags, and let no {% if %} open a tag that is closed outside of it'
