import { type Static, Type } from 'typebox'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  Address,
  Cursor,
  From,
  FromName,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
  warnings,
} from '../common.ts'
import { FlowStep, FlowTransition } from './flow-steps.ts'
import {
  definition,
  Description,
  EXAMPLE_INPUT,
  EXAMPLE_SETTINGS,
  FlowSettings,
  Name,
  Slug,
  TriggerConfig,
  TriggerType,
} from './flow.ts'

/** Workflows of one push, and of one page that is pulled. */
const MOST_PUSHED = 100

const SourceHash = line(100, { description: 'Your own hash, to recognize what you pushed last.' })

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

const force = Type.Optional(
  Type.Boolean({ description: 'Set to `true` to overwrite edits made here.' }),
)

const Defaults = strict(
  {
    from: Type.Optional(From()),
    fromName: Type.Optional(FromName(LONGEST_NAME)),
    replyTo: Type.Optional(Address()),
    senderId: Ignored,
  },
  {
    title: 'WorkflowDefaults',
    description: 'Sender of mails whose step has none. It is written into the steps.',
    examples: [{ from: 'hello@example.com' }],
  },
)

const PushedFlow = strict(
  {
    slug: Slug,
    name: Name,
    description: Type.Optional(nullable(Description)),
    ...definition,
    defaults: Type.Optional(Defaults),
    sourceHash: Type.Optional(nullable(SourceHash)),
    updatedAt: Type.Optional({
      ...Time,
      description:
        'The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.',
    }),
    force,
    draft: Type.Optional(
      Type.Literal(true, {
        description:
          'A push does not enable workflows. Leave it out, and call `POST /v1/workflows/{id}/enable`.',
      }),
    ),
    sourceTs: Ignored,
    cliProjectPath: Ignored,
  },
  { title: 'PushedWorkflow', examples: [{ slug: 'welcome', ...EXAMPLE_INPUT }] },
)
export type PushedFlow = Static<typeof PushedFlow>

const options = {
  force,
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Set to `true` to check the request without changing anything.' }),
  ),
}
const EXAMPLE_PUSH = { workflows: [{ slug: 'welcome', ...EXAMPLE_INPUT }], dryRun: true }

export const FlowPush = Type.Union(
  [
    strict(
      {
        workflows: Type.Array(PushedFlow, { minItems: 1, maxItems: MOST_PUSHED }),
        ...options,
        // An answer of `pull` can be pushed as it is.
        nextCursor: Ignored,
      },
      { title: 'WorkflowListPush', examples: [EXAMPLE_PUSH] },
    ),
    strict(
      { ...PushedFlow.properties, ...options },
      { title: 'SingleWorkflowPush', examples: [{ slug: 'welcome', ...EXAMPLE_INPUT }] },
    ),
  ],
  { title: 'WorkflowPush', type: 'object', examples: [EXAMPLE_PUSH] },
)
export type FlowPush = Static<typeof FlowPush>

export const FlowPushResult = Type.Object(
  {
    success: Type.Literal(true),
    dryRun: Type.Boolean(),
    results: Type.Array(
      Type.Object(
        {
          slug: Type.String(),
          id: nullable({ ...Id, description: 'Null if the workflow would be created.' }),
          outcome: oneOf(['created', 'updated', 'unchanged']),
          version: Type.Integer({ minimum: 1 }),
        },
        { title: 'WorkflowPushed' },
      ),
    ),
    ...warnings,
  },
  {
    title: 'WorkflowPushResult',
    examples: [
      {
        success: true,
        dryRun: false,
        results: [{ slug: 'welcome', id: ID, outcome: 'updated', version: 2 }],
      },
    ],
  },
)
export type FlowPushResult = Static<typeof FlowPushResult>

export const FlowPullQuery = strict({
  limit: limit(20, MOST_PUSHED),
  cursor: Cursor,
  slug: Type.Optional({ ...Slug, description: 'Returns only the workflow with this slug.' }),
})

export const FlowPull = Type.Object(
  {
    workflows: Type.Array(
      Type.Object(
        {
          slug: Type.String(),
          name: Type.String(),
          description: nullable(Type.String()),
          triggerType: TriggerType,
          triggerConfig: TriggerConfig,
          steps: Type.Array(FlowStep),
          transitions: Type.Array(FlowTransition),
          settings: FlowSettings,
          sourceHash: nullable(SourceHash),
          updatedAt: Time,
        },
        { title: 'PulledWorkflow' },
      ),
    ),
    nextCursor: NextCursor,
  },
  {
    title: 'WorkflowPull',
    examples: [
      {
        workflows: [
          {
            slug: 'welcome',
            description: null,
            ...EXAMPLE_INPUT,
            settings: EXAMPLE_SETTINGS,
            sourceHash: null,
            updatedAt: TIME,
          },
        ],
        nextCursor: null,
      },
    ],
  },
)
