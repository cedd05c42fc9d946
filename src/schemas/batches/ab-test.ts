import { type Static, Type } from 'typebox'
import { DELAY_UNITS } from '../../domain/flows/duration.ts'
import { MOST_VARIANTS, WINNER_BY } from '../../domain/batches/ab-test.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { Count, FromName, Id, line, nullable, oneOf, strict, Time } from '../common.ts'

const Variant = {
  name: line(100, { description: 'Its own within the test.' }),
  subject: Type.Optional(line(998)),
  fromName: Type.Optional(FromName(LONGEST_NAME)),
  previewText: Type.Optional(line(500)),
  templateId: Type.Optional(Type.String({ maxLength: 36 })),
}

export const AbTestInput = strict(
  {
    variants: Type.Array(strict(Variant), {
      minItems: 2,
      maxItems: MOST_VARIANTS,
      description: 'What each says otherwise than the batch.',
    }),
    sharePercent: Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        'Of the audience: those who get the variants, in equal parts. The rest waits for the winner. Of 100 nobody does, and the winner is named all the same.',
    }),
    winnerBy: oneOf(WINNER_BY, {
      description: 'Of those sent, who opened or clicked; `manual`: you choose.',
    }),
    decideAfter: Type.Optional(
      strict(
        { amount: Type.Integer({ minimum: 1, maximum: 100_000 }), unit: oneOf(DELAY_UNITS) },
        { description: 'After all of the share have been mailed. Not with `manual`.' },
      ),
    ),
  },
  { title: 'AbTestInput' },
)
export type AbTestInput = Static<typeof AbTestInput>

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))
type OrNull<T> = { [Name in keyof T]: Exclude<T[Name], undefined> | null }

/** Of PATCH: what an answer shows besides may come along. */
export interface AbTestPatch extends Omit<AbTestInput, 'variants' | 'decideAfter'> {
  variants: (Pick<AbTestInput['variants'][number], 'name'> &
    Partial<OrNull<Omit<AbTestInput['variants'][number], 'name'>>>)[]
  decideAfter?: NonNullable<AbTestInput['decideAfter']> | null
}
export const AbTestPatch = Type.Unsafe<AbTestPatch>(
  strict(
    {
      ...AbTestInput.properties,
      variants: Type.Array(
        strict({
          name: Variant.name,
          subject: Type.Optional(nullable(Variant.subject)),
          fromName: Type.Optional(nullable(Variant.fromName)),
          previewText: Type.Optional(nullable(Variant.previewText)),
          templateId: Type.Optional(nullable(Variant.templateId)),
          sent: Ignored,
          delivered: Ignored,
          opened: Ignored,
          clicked: Ignored,
          bounced: Ignored,
          complained: Ignored,
        }),
        { minItems: 2, maxItems: MOST_VARIANTS },
      ),
      decideAfter: Type.Optional(nullable(AbTestInput.properties.decideAfter)),
      rest: Ignored,
      decideAt: Ignored,
      winner: Ignored,
      decision: Ignored,
    },
    { title: 'AbTestPatch' },
  ),
)

/** What mails of a test came to. */
const figures = {
  sent: Count,
  delivered: Count,
  opened: { ...Count, description: 'By people: not by known bots.' },
  clicked: { ...Count, description: 'By people: not by known bots.' },
  bounced: Count,
  complained: Count,
}

const Rate = Type.Number({ minimum: 0, maximum: 1 })
export const AbTest = Type.Object(
  {
    variants: Type.Array(
      Type.Object({
        name: Type.String(),
        subject: nullable(Type.String()),
        fromName: nullable(Type.String()),
        previewText: nullable(Type.String()),
        templateId: nullable(Id),
        ...figures,
      }),
      {
        description:
          'With their figures of the share, by which they are compared; they go on growing.',
      },
    ),
    rest: nullable(
      Type.Object(figures, {
        description:
          'What the winner came to with the rest of the audience. Null: there is none yet.',
      }),
    ),
    sharePercent: Type.Integer(),
    winnerBy: oneOf(WINNER_BY),
    decideAfter: nullable(Type.Object({ amount: Type.Integer(), unit: oneOf(DELAY_UNITS) })),
    decideAt: nullable({ ...Time, description: 'Set when all of the share have been mailed.' }),
    winner: nullable(Type.String({ description: 'Name of the variant that the rest gets.' })),
    decision: nullable(
      Type.Object(
        {
          by: oneOf(['figures', 'person']),
          isConclusive: Type.Boolean({
            description:
              'The leader is ahead by more than chance explains. Without that the leader is sent all the same, or what a person chose.',
          }),
          leader: Type.String({ description: 'The variant with the best rate at that moment.' }),
          next: Type.String(),
          leaderRate: Rate,
          nextRate: Rate,
          low: Type.Number({
            description: 'The true difference of the two rates is between `low` and `high`.',
          }),
          high: Type.Number(),
          confidence: Type.Number({
            description:
              'Of that interval (Newcombe’s, by Wilson scores), shared out among the comparisons where there are several.',
          }),
        },
        { description: 'How the winner was found, from the figures of that moment.' },
      ),
    ),
  },
  { title: 'AbTest' },
)
