import type { ErrorDetail } from '../../errors.ts'
import { problem, type StepRules } from './rules.ts'

export interface Config {
  templateId?: string
  subject?: string
  html?: string
  from?: string
  fromName?: string
  replyTo?: string
  cloudAccountId?: string
  topicId?: string
  variables?: Record<string, unknown>
}

export const sendEmail: StepRules<Config> = {
  check: checkMail,
  gist: ({ subject, templateId = '' }) => subject ?? `template ${templateId}`,
}

function checkMail(config: Config, path: string): ErrorDetail[] {
  const { templateId, subject, html, from } = config
  const anonymous = from === undefined ? [problem(`${path}.from`, 'is needed')] : []
  if (templateId !== undefined) {
    const both = html === undefined ? [] : [problem(`${path}.html`, 'cannot go with templateId')]
    return [...anonymous, ...both]
  }
  return [
    ...anonymous,
    ...(html === undefined ? [problem(`${path}.html`, 'or templateId is needed')] : []),
    ...(subject === undefined ? [problem(`${path}.subject`, 'is needed without templateId')] : []),
  ]
}
