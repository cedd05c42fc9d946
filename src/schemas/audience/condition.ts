import { Type } from 'typebox'
import {
  type Condition as Grammar,
  MOST_FILTERS,
  OPERATORS,
  UNITS,
} from '../../domain/audience/condition.ts'
import { oneOf, strict } from '../common.ts'

const Filter = strict(
  {
    field: Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        'A field of the contact (`firstName`, `emailStatus`, `createdAt` …), `properties.<key>`, `topics`, `event.<name>`, `bucket`; in workflows also `trigger.data.<path>` and `event.properties.<path>`.',
      examples: ['properties.plan'],
    }),
    operator: oneOf(OPERATORS),
    value: Type.Optional(
      Type.Unknown({
        description:
          'What the operator compares with; `now` is the present time to `greaterThan` and its like. Of `triggered` and `notTriggered` an object, or absent: `atLeast`, `atMost`, `exactly` say how many events, `within` how many units ago at most, `where` is a list of filters of the event’s own `properties.<key>`.',
      }),
    ),
    unit: Type.Optional(
      oneOf(UNITS, {
        description:
          'Of `within`, `notWithin`, `withinNext`, `triggeredWithin`, `notTriggeredWithin`.',
      }),
    ),
  },
  { title: 'Filter' },
)

const rules = strict(
  {
    logic: oneOf(['AND', 'OR'], { description: 'How the groups are joined.' }),
    groups: Type.Array(
      strict(
        {
          not: Type.Optional(
            Type.Boolean({
              description:
                'The group holds exactly where its filters and what is nested in it do not.',
            }),
          ),
          filters: Type.Array(Filter, { maxItems: MOST_FILTERS, description: 'All must hold.' }),
          nested: Type.Optional(
            Type.Object(
              {},
              {
                additionalProperties: true,
                description: 'One more condition that must hold as well; at most 5 deep in all.',
              },
            ),
          ),
        },
        { title: 'ConditionGroup' },
      ),
      { maxItems: MOST_FILTERS },
    ),
  },
  {
    title: 'Condition',
    description: `At most ${MOST_FILTERS} filters in all.`,
    examples: [
      {
        logic: 'AND',
        groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
      },
    ],
  },
)

/** The schema does not describe nested conditions. `checkCondition` checks them. */
export const Condition = Type.Unsafe<Grammar>(rules)
