import type { StepRules } from './rules.ts'

export const topic: StepRules<{ topicId: string }> = { gist: ({ topicId }) => topicId }
