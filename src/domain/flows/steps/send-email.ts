import type { ErrorDetail } from '../../errors.ts'
import { type MailConfig, problem, type StepRules } from './rules.ts'

export const mailRules = {
  check: checkMail,
  mails: true,
  topic: 'optional',
  content: ({ subject, html = '', variables = {} }: MailConfig) => ({
    subject: subject ?? null,
    html,
    text: html === '' ? '' : null,
    variableNames: Object.keys(variables),
    field: 'html',
  }),
  writes: () => ['emailsSent', 'lastEmailSentAt', 'lastActivityAt'],
} as const satisfies Partial<StepRules<MailConfig>>

export const sendEmail: StepRules<MailConfig> & typeof mailRules = {
  ...mailRules,
  gist: ({ subject, templateId = '' }) => subject ?? `template ${templateId}`,
}

function checkMail(config: MailConfig, path: string): ErrorDetail[] {
  const { templateId, subject, html, from } = config
  const anonymous = from === undefined ? [problem(`${path}.from`, 'is required')] : []
  if (templateId !== undefined) {
    const both =
      html === undefined ? [] : [problem(`${path}.html`, 'cannot be combined with templateId')]
    return [...anonymous, ...both]
  }
  return [
    ...anonymous,
    ...(html === undefined ? [problem(`${path}.html`, 'or templateId is required')] : []),
    ...(subject === undefined
      ? [problem(`${path}.subject`, 'is required without templateId')]
      : []),
  ]
}
