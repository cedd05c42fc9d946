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

/** What is still missing, in the order of the parts. Nothing: it can be tried. */
export function missingOf(draft: BatchDraft): string[] {
  const { audience, segmentId, content, templateId, subject, html, from, when, at } = draft
  return [
    ...(audience === 'segment' && segmentId === '' ? ['Choose a segment'] : []),
    ...(content === 'template' && templateId === '' ? ['Choose a template'] : []),
    ...(content === 'write' && subject.trim() === '' ? ['Write a subject'] : []),
    ...(content === 'write' && html.trim() === '' ? ['Write the mail'] : []),
    ...(from.trim() === '' ? ['Choose a sender'] : []),
    ...(when === 'later' && at === '' ? ['Choose a time'] : []),
  ]
}

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
    ...(when === 'later' ? { scheduledFor: new Date(at).toISOString() } : {}),
  }
}
