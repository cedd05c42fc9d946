import { type Static, Type } from 'typebox'
import { ID, oneOf, strict } from '../common.ts'

const MOST_TOPICS = 500

export const PreferencesInput = strict(
  {
    scope: Type.Optional(
      oneOf(['chosen', 'all'], {
        description:
          '`chosen` saves the list of `topics`. `all` unsubscribes from all mail, whatever `topics` contains.',
      }),
    ),
    topics: Type.Optional(
      Type.Array(Type.String({ maxLength: 36 }), {
        maxItems: MOST_TOPICS,
        description:
          'Ids of the public topics that the contact wants. The contact is unsubscribed from all other public topics. Ids of topics that are not public are ignored.',
      }),
    ),
  },
  {
    title: 'PreferencesInput',
    description: 'Send either `topics` or the scope `all`.',
    examples: [{ topics: [ID] }, { scope: 'all' }],
  },
)
export type PreferencesInput = Static<typeof PreferencesInput>

export const PreferencesSaved = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'PreferencesSaved', examples: [{ success: true, message: 'Your choice is saved' }] },
)
