import { Type } from 'typebox'
import { MAIL_CHECKS, MAIL_PARTS } from '../../domain/content/mail-check.ts'
import { oneOf } from '../common.ts'

const MailCheck = Type.Object(
  {
    code: oneOf(MAIL_CHECKS),
    severity: oneOf(['warning', 'info'] as const, {
      description: '`info`: corrected automatically.',
    }),
    part: oneOf(MAIL_PARTS),
    message: Type.String({ description: 'The problem, and how to fix it.' }),
  },
  { title: 'MailCheck' },
)

export const MailChecks = Type.Array(MailCheck, {
  description:
    'Points to check before sending. Links are not followed, so a valid link may still lead nowhere.',
})

export const EXAMPLE_CHECKS = [
  {
    code: 'link_without_address' as const,
    severity: 'warning' as const,
    part: 'html' as const,
    message: '1 link ("Read more") leads nowhere: give it an address',
  },
]
