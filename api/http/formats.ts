import addFormats from 'ajv-formats'
import { parseMailbox } from '../../src/domain/mailbox.ts'
import { isAddress } from '../../src/domain/text.ts'
import { isUuid } from '../../src/runtime/ids.ts'

/**
 * Shape of a time. The library cuts a text at each `t` and blank first: a megabyte of them would
 * become a million texts. Texts of another shape are refused before.
 */
const LIKE_A_TIME = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)$/i
const isDate = library('date')
const isDateTime = library('date-time')

function library(name: 'date' | 'date-time'): (text: string) => boolean {
  const format = addFormats.default.get(name)
  const validate = typeof format === 'object' && 'validate' in format ? format.validate : undefined
  if (typeof validate !== 'function') throw new Error(`ajv-formats has no ${name} any more`)
  return (text) => Reflect.apply(validate, undefined, [text]) === true
}

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/
const isLocalDateTime = (text: string): boolean =>
  LOCAL_TIME.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(`${text}Z`))

interface Format {
  holds: (text: string) => boolean
  words: string
}

export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['date', { holds: isDate, words: 'must be a day such as 2026-11-21' }],
  [
    'date-time',
    {
      holds: (text: string) => LIKE_A_TIME.test(text) && isDateTime(text),
      words: 'must be a time of ISO 8601 with its offset, such as 2026-11-21T10:56:09Z',
    },
  ],
  [
    'local-date-time',
    { holds: isLocalDateTime, words: 'must be a time such as 2026-11-21T10:56:09' },
  ],
  ['uuid', { holds: isUuid, words: 'must be an id, which is a UUID' }],
  [
    'mailbox',
    {
      holds: (text: string) => parseMailbox(text) !== undefined,
      words: 'must be an email address, alone or as Name <address>',
    },
  ],
  ['email', { holds: isAddress, words: 'must be an email address' }],
])

export const KNOWN_FORMATS = Object.fromEntries(
  [...FORMATS].map(([name, { holds }]) => [name, holds]),
)
