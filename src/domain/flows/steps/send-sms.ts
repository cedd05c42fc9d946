import type { StepRules } from './rules.ts'

export const sendSms: StepRules<{ body: string }> = {
  content: ({ body }) => ({ html: '', text: body, variableNames: [], field: 'body' }),
  lacks: 'needs an SMS transport; none is configured',
  gist: ({ body }) => body,
}
