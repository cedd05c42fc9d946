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
        'A field of the contact (`firstName`, `emailStatus`, `createdAt` …), `properties.<key>`, `topics`, `event.<name>`, or `bucket`. Conditions of workflows can also use `trigger.data.<path>` and `event.properties.<path>`.',
      examples: ['properties.plan'],
    }),
    operator: oneOf(OPERATORS),
    value: Type.Optional(
      Type.Unknown({
        description:
          'The value to compare with. `greaterThan` and similar operators accept `now` for the present time. For `triggered` and `notTriggered` the value is optional, an object: `atLeast`, `atMost` and `exactly` set how many events are needed, `within` sets how many units ago they may have occurred, and `where` is a list of filters of the event’s own `properties.<key>`.',
      }),
    ),
    unit: Type.Optional(
      oneOf(UNITS, {
        description:
          'Unit of `within`, `notWithin`, `withinNext`, `triggeredWithin` and `notTriggeredWithin`.',
      }),
    ),
  },
  { title: 'Filter' },
)

const rules = strict(
  {
    logic: oneOf(['AND', 'OR'], { description: 'Operator that joins the groups.' }),
    groups: Type.Array(
      strict(
        {
          not: Type.Optional(
            Type.Boolean({
              description: 'Set to `true` to negate the group, including its nested conditions.',
            }),
          ),
          filters: Type.Array(Filter, {
            maxItems: MOST_FILTERS,
            description: 'Filters of the group. All of them must hold.',
          }),
          nested: Type.Optional(
            Type.Object(
              {},
              {
                additionalProperties: true,
                description:
                  'A further condition that must hold, too. Conditions can be nested 5 levels deep.',
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
    description: `A condition has at most ${MOST_FILTERS} filters in all.`,
    examples: [
      {
        logic: 'AND',
        groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
      },
    ],
  },
)

export const Condition = Type.Unsafe<Grammar>(rules)
