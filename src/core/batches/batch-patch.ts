import type { AbTestInput, AbTestPatch } from '../../schemas/batches/ab-test.ts'
import type { Batch, BatchInput } from '../../schemas/batches/batch.ts'
import type { BatchPatch } from '../../schemas/batches/batch-patch.ts'
import type { BatchSource } from '../../store/batches/batch-changes.ts'
import type { BatchContent } from './batch-content.ts'
import { batchView } from './batch-view.ts'

/** Fields of the content. When one changes, the content is compiled again. */
const CONTENT = [
  'subject',
  'previewText',
  'templateId',
  'htmlContent',
  'textContent',
  'variableMappings',
  'abTest',
] as const

/** Content fields of a test, whose variants have their own sender names. */
const CONTENT_OF_TESTS = [...CONTENT, 'from', 'fromName'] as const

/** Fields of the audience. Another audience type clears those that the patch does not name. */
const AUDIENCE = ['topicId', 'segmentId', 'contactIds'] as const

/**
 * Returns the input that would create the batch with its changes. Unchanged fields count as absent,
 * so that an answer can be edited and sent back. `kept`: its content, if that does not change. Then
 * the batch keeps the version of its template.
 */
export function changeOf(
  source: BatchSource,
  patch: BatchPatch,
): { input: BatchInput; kept?: BatchContent } {
  const before = inputOf(source)
  const changes = differences(before, batchView(source), patch)
  const input = { ...before, ...cleared(before, patch, changes), ...withoutNull(changes) }
  const content = source.askedTest ? CONTENT_OF_TESTS : CONTENT
  if (content.some((name) => name in changes)) return { input }
  const { contentId: id, templateId, subject, previewText } = source
  return { input, kept: { id, templateId, subject, previewText } }
}

/** Returns the input that would create this batch again. */
function inputOf(source: BatchSource): BatchInput {
  const { htmlContent, textContent } = batchView(source)
  // The row of a test says what its first variant does.
  const contentFields = source.askedTest?.said ?? source
  const content = source.templateId === null ? { htmlContent, textContent } : {}
  return {
    audienceType: source.audienceType,
    from: source.from,
    variableMappings: source.variableMappings,
    cloudAccountId: source.cloudAccountId,
    unknownOutcome: source.unknownOutcome,
    exclude: source.exclude,
    ...content,
    ...withoutNull({
      name: source.name,
      topicId: source.topicId,
      segmentId: source.segmentId,
      contactIds: source.contactIds === null ? null : [...source.contactIds],
      fromName: source.fromName,
      replyTo: source.replyTo,
      subject: contentFields.subject,
      previewText: contentFields.previewText,
      templateId: contentFields.templateId,
      scheduledFor: source.scheduledFor,
      timezoneAware: source.timezoneAware || null,
      timezone: source.timezone,
      throttlePerSecond: source.throttlePerSecond,
      abTest: source.askedTest === null ? null : testOf(source.askedTest),
    }),
  }
}

type Changes = Omit<BatchPatch, 'ifUnmodifiedSince'>

/** Returns the fields of a patch that differ from the batch. */
function differences(before: BatchInput, view: Batch, patch: BatchPatch): Changes {
  const { ifUnmodifiedSince: _, ...rest } = patch
  const test = patch.abTest ? testOf(patch.abTest) : patch.abTest
  const fields = { ...rest, ...(test === undefined ? {} : { abTest: test }) }
  const abTest = view.abTest && testOf(view.abTest)
  const shownFields: Record<string, unknown> = { ...view, abTest }
  const inputFields: Record<string, unknown> = { ...before }
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
  const isKnown = (name: string, value: unknown) =>
    (name in shownFields && isSame(value, shownFields[name])) ||
    (name in inputFields && isSame(value, inputFields[name])) ||
    (!(name in shownFields) && !(name in inputFields) && isSame(value, null))
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isKnown(name, value)))
}

/** Clears the fields that changed ones replace. */
function cleared(before: BatchInput, patch: BatchPatch, changes: Changes): Partial<BatchInput> {
  const gone = (names: readonly (keyof BatchInput)[]) =>
    Object.fromEntries(names.map((name) => [name, undefined]))
  return {
    ...gone(Object.keys(changes).filter((name): name is keyof BatchInput => name in before)),
    ...(changes.audienceType ? gone(AUDIENCE.filter((name) => !patch[name])) : {}),
    // Another template brings its own subject, and takes the place of own content.
    ...(changes.templateId ? gone(['htmlContent', 'textContent', 'subject', 'previewText']) : {}),
    ...(changes.htmlContent ? gone(['templateId', 'textContent']) : {}),
    ...(changes.cloudAccountId || changes.awsAccountId ? gone(['cloudAccountId']) : {}),
    // `Name <address>` brings its own name.
    ...(changes.from?.includes('<') ? gone(['fromName']) : {}),
    ...('timezoneAware' in changes && !changes.timezoneAware ? gone(['timezone']) : {}),
  }
}

/** Returns the test as a caller requests it, without the fields that only answers have. */
const testOf = ({ variants, sharePercent, winnerBy, decideAfter }: AbTestPatch): AbTestInput => ({
  variants: variants.map(({ name, subject, fromName, previewText, templateId }) => ({
    name,
    ...withoutNull({ subject, fromName, previewText, templateId }),
  })),
  sharePercent,
  winnerBy,
  ...(decideAfter ? { decideAfter } : {}),
})

const withoutNull = (fields: object): Partial<BatchInput> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  )
