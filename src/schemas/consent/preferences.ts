import { type Static, Type } from 'typebox'
import { ID, oneOf, strict } from '../common.ts'

const MOST_TOPICS = 500

export const PreferencesInput = strict(
  {
    scope: Type.Optional(
      oneOf(['chosen', 'all'], { description: '`all` leaves everything, whatever else is said.' }),
    ),
    topics: Type.Optional(
      Type.Array(Type.String({ maxLength: 36 }), {
        maxItems: MOST_TOPICS,
        description:
          'Ids of the public topics that are wanted; the other public ones are left. What is no public topic is ignored.',
      }),
    ),
  },
  {
    title: 'PreferencesInput',
    description: 'Either `topics` or the scope `all`.',
    examples: [{ topics: [ID] }, { scope: 'all' }],
  },
)
export type PreferencesInput = Static<typeof PreferencesInput>

export const PreferencesSaved = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'PreferencesSaved', examples: [{ success: true, message: 'Your choice is saved' }] },
)
