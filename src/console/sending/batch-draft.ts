import type { Schemas } from '../../client/index.ts'

export type BatchInput = Schemas['BatchInput']

/** What the composer has so far; texts of its fields. */
export interface BatchDraft {
  name: string
  audience: 'all' | 'segment'
  segmentId: string
  topicId: string
  content: 'write' | 'template'
  templateId: string
  subject: string
  previewText: string
  html: string
  cloudAccountId: string
  from: string
  fromName: string
  replyTo: string
  when: 'now' | 'later'
  /** Local time of the browser, as its field gives it. */
  at: string
}

export const EMPTY_DRAFT: BatchDraft = {
  name: '',
  audience: 'all',
  segmentId: '',
  topicId: '',
  content: 'write',
  templateId: '',
  subject: '',
  previewText: '',
  html: '<h1>Hello {{ contact.firstName | default: "there" }}</h1>\n<p>Here is what is new.</p>\n',
  cloudAccountId: '',
  from: '',
  fromName: '',
  replyTo: '',
  when: 'now',
  at: '',
}

/** A field that has to be filled in, and what to do with it. */
interface Missing {
  field: keyof BatchDraft
  words: string
}

/** What is still missing, in the order of the parts. Nothing: it can be tried. */
export function missingOf(draft: BatchDraft): Missing[] {
  const { audience, segmentId, content, templateId, subject, html, from, when, at } = draft
  return [
    ...missingIf(audience === 'segment' && segmentId === '', 'segmentId', 'Choose a segment'),
    ...missingIf(content === 'template' && templateId === '', 'templateId', 'Choose a template'),
    ...missingIf(content === 'write' && subject.trim() === '', 'subject', 'Write a subject'),
    ...missingIf(content === 'write' && html.trim() === '', 'html', 'Write the mail'),
    ...missingIf(from.trim() === '', 'from', 'Choose a sender'),
    ...missingIf(when === 'later' && at === '', 'at', 'Choose a time'),
  ]
}

const missingIf = (isMissing: boolean, field: keyof BatchDraft, words: string): Missing[] =>
  isMissing ? [{ field, words }] : []

/** The call that a draft stands for. */
export function inputOf(draft: BatchDraft): BatchInput {
  const given = <Name extends string>(name: Name, text: string): { [Key in Name]?: string } => {
    const found: { [Key in Name]?: string } = {}
    if (text.trim() !== '') found[name] = text.trim()
    return found
  }
  const { audience, content, when, at } = draft
  return {
    audienceType: audience,
    ...(audience === 'segment' ? given('segmentId', draft.segmentId) : {}),
    ...given('topicId', draft.topicId),
    ...given('name', draft.name),
    ...given('subject', draft.subject),
    ...(content === 'template'
      ? given('templateId', draft.templateId)
      : { htmlContent: draft.html, ...given('previewText', draft.previewText) }),
    from: draft.from.trim(),
    ...given('fromName', draft.fromName),
    ...given('replyTo', draft.replyTo),
    ...given('cloudAccountId', draft.cloudAccountId),
    ...(when === 'later' ? { scheduledFor: wireTime(at) } : {}),
  }
}

/** Half a batch in the words of the API. What is unfinished stays as it was typed. */
export const storedOf = (draft: BatchDraft): Record<string, unknown> => ({
  ...inputOf(draft),
  ...(draft.content === 'template' ? { templateId: draft.templateId } : {}),
})

/** Returns the fields of the composer from the stored input of a draft. */
export function draftOf(stored: Readonly<Record<string, unknown>>): BatchDraft {
  const text = (name: string): string => {
    const value = stored[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    name: text('name'),
    audience: text('audienceType') === 'segment' ? 'segment' : 'all',
    segmentId: text('segmentId'),
    topicId: text('topicId'),
    content: 'templateId' in stored ? 'template' : 'write',
    templateId: text('templateId'),
    subject: text('subject'),
    previewText: text('previewText'),
    html: text('htmlContent'),
    cloudAccountId: text('cloudAccountId'),
    from: text('from'),
    fromName: text('fromName'),
    replyTo: text('replyTo'),
    when: 'scheduledFor' in stored ? 'later' : 'now',
    at: localTime(text('scheduledFor')),
  }
}

const FIELDS =
  'name audienceType segmentId topicId templateId subject previewText htmlContent cloudAccountId from fromName replyTo scheduledFor'.split(
    ' ',
  )
/** A topic stands beside any audience here. */
const AUDIENCES: readonly unknown[] = [undefined, 'all', 'segment', 'topic']

/** Returns the parts of a stored draft that the composer has no field for, by their names. */
export function partsWithoutField(stored: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(stored).filter((name) => !FIELDS.includes(name))
  return AUDIENCES.includes(stored['audienceType']) ? names : ['audienceType', ...names]
}

/** A time as the field of the browser has it. */
function localTime(time: string): string {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return ''
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}

/** A time of the API. The field of the browser is empty until its time is whole. */
function wireTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}

/** Whether somebody has written anything: a sender that was filled in for them does not count. */
export const isWritten = (draft: BatchDraft): boolean =>
  JSON.stringify({ ...draft, from: '', cloudAccountId: '' }) !== JSON.stringify(EMPTY_DRAFT)
