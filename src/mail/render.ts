import { LiquidError, type Template } from 'liquidjs'
import type { MergeValues } from '../domain/contacts/contact-fields.ts'
import type { MailBrand } from '../domain/content/brand.ts'
import { TooLarge } from './bounds.ts'
import type { Content } from './content.ts'
import { withFlatKeys } from './flat-keys.ts'
import { engines, MAX_PART_LENGTH, parse, type Syntax, Unprintable } from './liquid.ts'
import { withFooter } from './footer.ts'
import { withoutTracking } from './no-track.ts'

export interface MergeData {
  /** Absent for an address without a contact. */
  contact?: MergeContact | null
  organization: MailBrand
  unsubscribeUrl?: string
  /** The page where the recipient chooses topics. Absent for an address without a contact. */
  preferencesUrl?: string
  trigger?: { data: Readonly<Record<string, unknown>> }
  event?: { name: string; properties: Readonly<Record<string, unknown>> }
  variables?: Readonly<Record<string, unknown>>
}

interface MergeContact extends Readonly<Partial<MergeValues>> {
  id: string
}

export interface RenderedMail {
  subject: string
  html: string
  text: string
}

export type RenderReason =
  | 'missing_value'
  | 'bad_subject'
  | 'too_large'
  | 'render_timeout'
  | 'render_failed'

/** This recipient's mail cannot be rendered. Others of the same content can. */
export class RenderError extends Error {
  readonly reason: RenderReason

  constructor(reason: RenderReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const MAX_SUBJECT_LENGTH = 998
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/**
 * Parses a content once and returns a function that renders one recipient's mail synchronously, in
 * about a millisecond for a large mail. The function throws a RenderError if a value is missing
 * without a default, if a value does not fit a subject, or if a part grows too large. It has no
 * time limit: contents of callers are rendered by `renderer.ts`.
 *
 * `marketing`: the unsubscribe link and the postal address are added at the end of each rendered
 * part that lacks them. Clicks on links to our own pages are not tracked.
 */
export function renderer(
  content: Pick<Content, 'subject' | 'html' | 'text'>,
  { marketing = false }: { marketing?: boolean } = {},
): (data: MergeData) => RenderedMail {
  const subject = parse('plain', content.subject ?? '')
  const html = parse('html', content.html)
  const text = parse('plain', content.text)

  return (data) => {
    const scope = scopeOf(data)
    const mail = {
      subject: checkSubject(render('plain', subject, scope)),
      html: render('html', html, scope),
      text: render('plain', text, scope),
    }
    const completeMail = marketing
      ? withFooter(mail, { ...data, unsubscribeUrl: linkOf(data) })
      : mail
    const links = [data.unsubscribeUrl, data.preferencesUrl].flatMap((url) => url ?? [])
    return { ...completeMail, html: withoutTracking(completeMail.html, links) }
  }
}

export function renderText(source: string, scope: object): string {
  return explained(() => render('body', parse('body', source), withFlatValues(scope)))
}

export function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw LiquidError.is(error) ? explain(error) : error
  }
}

/**
 * Fixed names come last, so that a variable cannot replace the contact. The names of flows come
 * first, since older templates may declare variables with these names.
 */
export const scopeOf = ({ variables, trigger, event, ...fixed }: MergeData): object => ({
  ...withFlatValues({ trigger, event }),
  ...variables,
  ...withFlatValues({ contact: fixed.contact }),
  organization: nameAndAddress(fixed.organization),
  unsubscribeUrl: fixed.unsubscribeUrl,
  preferencesUrl: fixed.preferencesUrl,
})

const STORED_VALUES = [
  ['contact', 'properties'],
  ['event', 'properties'],
  ['trigger', 'data'],
] as const

function withFlatValues(scope: object): object {
  const nestedScope: Record<string, unknown> = { ...scope }
  for (const [root, name] of STORED_VALUES) {
    const holder = nestedScope[root]
    if (!isObject(holder) || !isObject(holder[name])) continue
    nestedScope[root] = { ...holder, [name]: withFlatKeys(holder[name]) }
  }
  return nestedScope
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameAndAddress = ({ name, postalAddress }: MailBrand) => ({ name, postalAddress })

function render(syntax: Syntax, templates: Template[], scope: object): string {
  const text = run(syntax, templates, scope)
  if (text.length > MAX_PART_LENGTH) {
    throw new RenderError('too_large', `Longer than ${MAX_PART_LENGTH} characters`)
  }
  return text
}

function run(syntax: Syntax, templates: Template[], scope: object): string {
  return explained(() => {
    // A copy, because `increment` writes into it and the parts of a mail are independent.
    const text: unknown = engines[syntax].renderSync(templates, { ...scope })
    return String(text)
  })
}

function explain(error: LiquidError): RenderError {
  const cause = error.originalError
  if (cause instanceof Unprintable) return missingValue(error.token.getText(), cause)
  const [line, column] = error.token.getPosition()
  const message = `${cause?.message ?? error.message} (line ${line}, column ${column})`
  // A string that is too long for the engine, and too deep a nesting, are RangeErrors.
  const tooLarge =
    message.startsWith('memory alloc limit') ||
    cause instanceof TooLarge ||
    cause instanceof RangeError
  return new RenderError(tooLarge ? 'too_large' : 'render_failed', message)
}

/** Returns the refusal of a mail whose output or tag has no value that can be printed. */
export const missingValue = (source: string, { message }: Unprintable): RenderError =>
  new RenderError('missing_value', `"${expressionOf(source)}" ${message}`)

const expressionOf = (source: string): string => source.replace(/^\{[{%]-?\s*|\s*-?[%}]\}$/g, '')

export function checkSubject(rendered: string): string {
  const subject = rendered.trim()
  if (CONTROL.test(subject)) {
    throw new RenderError('bad_subject', 'The subject has line breaks or control characters')
  }
  if (subject.length > MAX_SUBJECT_LENGTH) {
    throw new RenderError('bad_subject', `The subject is longer than ${MAX_SUBJECT_LENGTH}`)
  }
  return subject
}

function linkOf({ unsubscribeUrl }: MergeData): string {
  if (unsubscribeUrl !== undefined) return unsubscribeUrl
  throw new RenderError('missing_value', 'No unsubscribe link')
}
