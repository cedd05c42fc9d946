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
    texts: Type.Optional(
      oneOf(['on', 'off'], {
        description:
          'Opts the contact’s phone number in or out of text messages. Nothing else is changed then.',
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
    description: 'Send `topics`, the scope `all`, or `texts`.',
    examples: [{ topics: [ID] }, { scope: 'all' }, { texts: 'off' }],
  },
)
export type PreferencesInput = Static<typeof PreferencesInput>

export const PreferencesSaved = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'PreferencesSaved', examples: [{ success: true, message: 'Your choice is saved' }] },
)
