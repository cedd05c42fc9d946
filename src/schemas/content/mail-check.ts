import { Type } from 'typebox'
import { MAIL_CHECKS, MAIL_PARTS } from '../../domain/content/mail-check.ts'
import { oneOf } from '../common.ts'

const MailCheck = Type.Object(
  {
    code: oneOf(MAIL_CHECKS),
    severity: oneOf(['warning', 'info'] as const, {
      description: '`info`: it is put right by itself.',
    }),
    part: oneOf(MAIL_PARTS),
    message: Type.String({ description: 'What it is, and what to do.' }),
  },
  { title: 'MailCheck' },
)

/** What was found in a mail that was made for somebody. */
export const MailChecks = Type.Array(MailCheck, {
  description:
    'What to look at before it is sent. Nothing is loaded: whether a link that looks well leads anywhere is not known.',
})

export const EXAMPLE_CHECKS = [
  {
    code: 'link_without_address' as const,
    severity: 'warning' as const,
    part: 'html' as const,
    message: '1 link ("Read more") leads nowhere: give it an address',
  },
]
