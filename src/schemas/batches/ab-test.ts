import { type Static, Type } from 'typebox'
import { DELAY_UNITS } from '../../domain/flows/duration.ts'
import { MOST_VARIANTS, WINNER_BY } from '../../domain/batches/ab-test.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { Count, FromName, Id, line, nullable, oneOf, strict, Time } from '../common.ts'

const Variant = {
  name: line(100, { description: 'Name of the variant, unique within the test.' }),
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
      description: 'Content of each variant, where it differs from the batch.',
    }),
    sharePercent: Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        'Percentage of the audience that receives the variants, in equal parts. The rest waits for the winner. With 100 there is no rest, and the winner is determined all the same.',
    }),
    winnerBy: oneOf(WINNER_BY, {
      description:
        'Criterion of the winner: the share of recipients who opened or clicked. With `manual` you choose the winner.',
    }),
    decideAfter: Type.Optional(
      strict(
        { amount: Type.Integer({ minimum: 1, maximum: 100_000 }), unit: oneOf(DELAY_UNITS) },
        {
          description:
            'Time after all mails of the test share have been sent. Cannot be combined with `manual`.',
        },
      ),
    ),
  },
  { title: 'AbTestInput' },
)
export type AbTestInput = Static<typeof AbTestInput>

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))
type OrNull<T> = { [Name in keyof T]: Exclude<T[Name], undefined> | null }

/** A test in PATCH. The fields that only answers have are accepted and ignored. */
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

/** Counted outcomes of a test's mails. */
const figures = {
  sent: Count,
  delivered: Count,
  opened: { ...Count, description: 'Opens by people. Known bots are not counted.' },
  clicked: { ...Count, description: 'Clicks by people. Known bots are not counted.' },
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
          'Variants with their figures in the test share, by which they are compared. The figures keep growing.',
      },
    ),
    rest: nullable(
      Type.Object(figures, {
        description:
          'Figures of the winner in the rest of the audience. Null while there is no winner.',
      }),
    ),
    sharePercent: Type.Integer(),
    winnerBy: oneOf(WINNER_BY),
    decideAfter: nullable(Type.Object({ amount: Type.Integer(), unit: oneOf(DELAY_UNITS) })),
    decideAt: nullable({
      ...Time,
      description: 'Set when all mails of the test share have been sent.',
    }),
    winner: nullable(
      Type.String({ description: 'Name of the variant that the rest of the audience receives.' }),
    ),
    decision: nullable(
      Type.Object(
        {
          by: oneOf(['figures', 'person']),
          isConclusive: Type.Boolean({
            description:
              '`true` if the lead is greater than chance explains. Otherwise the leading variant, or the chosen one, is sent all the same.',
          }),
          leader: Type.String({ description: 'The variant with the best rate at that time.' }),
          next: Type.String(),
          leaderRate: Rate,
          nextRate: Rate,
          low: Type.Number({
            description: 'The true difference of the two rates is between `low` and `high`.',
          }),
          high: Type.Number(),
          confidence: Type.Number({
            description:
              'Confidence level of the interval (Newcombe’s, by Wilson scores), divided among the comparisons if there are several.',
          }),
        },
        { description: 'How the winner was determined, from the figures at that time.' },
      ),
    ),
  },
  { title: 'AbTest' },
)
