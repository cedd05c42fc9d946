import type { Schemas } from '../../client/index.ts'

type Detail = Schemas['EmailLogDetail']

const SOURCE_WORDS = {
  batch: 'A batch',
  workflow: 'A workflow',
  transactional: 'The API',
  confirmation: 'A confirmation',
  external: 'Another program',
} as const satisfies Record<Detail['sourceType'], string>

export const sourceWord = (source: Detail['sourceType']): string => SOURCE_WORDS[source]

export const SOURCES = Object.entries(SOURCE_WORDS).map(([value, label]) => ({ value, label }))

export const isSource = (text: unknown): text is Detail['sourceType'] =>
  typeof text === 'string' && text in SOURCE_WORDS

const EVENT_WORDS: Record<string, string> = {
  send: 'AWS took it',
  delivery: 'The recipient’s server took it',
  delivery_delay: 'The recipient’s server wants it later',
  bounce: 'It bounced',
  complaint: 'The recipient complained',
  reject: 'AWS refused it',
  open: 'It was opened',
  click: 'A link was clicked',
  rendering_failure: 'AWS could not make it',
}

/** What an event says. One that is newer than this page is shown as it is. */
export const eventWord = (kind: string): string => EVENT_WORDS[kind] ?? kind.replaceAll('_', ' ')

const MISSING_WORDS: Record<NonNullable<Detail['contentMissing']>, string> = {
  scope: 'Your role may not read what single mails say.',
  not_sent: 'It was not sent.',
  not_ours: 'Another program sent it: we never saw what it says.',
  not_kept: 'What it said is not kept any more.',
  contact_gone: 'The contact is gone, so their mail cannot be made again.',
  render_failed: 'The mail cannot be made again of the content.',
  busy: 'The server is busy. Look again in a moment.',
}

/** Why it is not shown what a mail said. */
export const missingWord = (missing: NonNullable<Detail['contentMissing']>): string =>
  MISSING_WORDS[missing]
