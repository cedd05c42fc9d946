import { type AppError, forbidden, notFound } from '../errors.ts'

/** The resources that are found by their id alone, and what the API calls them. */
const NAMES = {
  api_key: 'API key',
  batch: 'Batch',
  connection: 'Connection',
  contact: 'Contact',
  erasure: 'Erasure',
  execution: 'Execution',
  flow: 'Workflow',
  import: 'Import',
  invitation: 'Invitation',
  template: 'Template',
  topic: 'Topic',
} as const

export type Owned = keyof typeof NAMES

/** The refusal for a resource that an organization does not have: 403 if another one has it. */
export const refusalOf = (kind: Owned, isElsewhere: boolean): AppError =>
  isElsewhere
    ? forbidden(`This ${NAMES[kind].toLowerCase()} belongs to another organization`)
    : notFound(NAMES[kind])
