import type { StepRules } from './rules.ts'

export const sendSms: StepRules<{ body: string }> = { gist: ({ body }) => body }
