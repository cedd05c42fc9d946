import { Type } from 'typebox'
import { nullable, strict, TIME, Time } from '../common.ts'
import { AbTestPatch } from './ab-test.ts'
import { Batch, BatchInput } from './batch.ts'

/** Fields that only answers have. */
const readOnly = Object.keys(Batch.properties).filter((name) => !(name in BatchInput.properties))
const REQUIRED: readonly string[] = BatchInput.required

/** Fields of the input, each optional. Null clears an optional field. */
type BatchChanges = Partial<Pick<BatchInput, 'from' | 'audienceType'>> & {
  [Name in Exclude<keyof BatchInput, 'from' | 'audienceType' | 'abTest'>]?: BatchInput[Name] | null
} & { abTest?: AbTestPatch | null }
export type BatchPatch = BatchChanges & { ifUnmodifiedSince?: string }

/** Read-only fields are accepted and ignored, so that GET, edit, PATCH works. */
export const BatchPatch = Type.Unsafe<BatchPatch>(
  strict(
    {
      ...Object.fromEntries(
        Object.entries(BatchInput.properties).map(([name, schema]) => [
          name,
          Type.Optional(REQUIRED.includes(name) || !('type' in schema) ? schema : nullable(schema)),
        ]),
      ),
      abTest: Type.Optional(nullable(AbTestPatch)),
      ifUnmodifiedSince: Type.Optional({
        ...Time,
        description:
          'The `updatedAt` of the version that you read. If the batch has changed since, the request fails with 409.',
      }),
      ...Object.fromEntries(
        readOnly.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
      ),
    },
    { title: 'BatchPatch', examples: [{ scheduledFor: TIME }] },
  ),
)

/** Fields in which the copy differs. No body: none. */
export const BatchDuplicate = Type.Unsafe<BatchPatch | null>({
  ...nullable(BatchPatch),
  title: 'BatchDuplicate',
  examples: [{ name: 'December news' }],
})

export const WinnerInput = strict(
  { variant: Type.String({ maxLength: 100, description: 'Name of the variant.' }) },
  { title: 'WinnerInput', examples: [{ variant: 'A' }] },
)
