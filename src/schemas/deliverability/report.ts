import { type TSchema, Type } from 'typebox'
import { RECORD_TYPES, SEVERITIES, VERDICTS } from '../../domain/deliverability/report.ts'
import { nullable, oneOf, TIME, Time } from '../common.ts'

export const Verdict = oneOf(VERDICTS, {
  description: '`unknown`: nobody could say, because a look-up failed or was refused.',
  examples: ['pass'],
})

export const Finding = Type.Object(
  {
    code: Type.String({
      description: 'A stable snake_case word of an open set.',
      examples: ['spf_found'],
    }),
    severity: oneOf(SEVERITIES, { description: '`info` changes no verdict.', examples: ['pass'] }),
    message: Type.String({ examples: ['example.com has one SPF record, and it can be read.'] }),
    fix: nullable(Type.String({ description: 'What to do next, in one sentence; null: nothing.' })),
  },
  { title: 'ToolFinding' },
)

const RawRecord = Type.Object(
  {
    name: Type.String({ examples: ['example.com'] }),
    type: oneOf(RECORD_TYPES, {
      description: '`HTTPS`: not a record, but what was read from the address that is the name.',
    }),
    status: oneOf(['found', 'empty', 'no_name', 'failed'] as const, {
      description:
        '`empty`: the name is there, a record of the type is not. `no_name`: the name is not there. `failed`: no answer.',
    }),
    values: Type.Array(Type.String(), { description: 'At most 20, each cut at 4,096 characters.' }),
  },
  { title: 'ToolRecord' },
)

interface ReportOptions {
  title: string
  tool: string
  /** An example of its details. */
  example: object
  finding?: TSchema
}

/** Schema of the answer of a tool, with the tool's details. */
export const reportOf = (
  { title, tool, example, finding = Finding }: ReportOptions,
  details: TSchema,
) =>
  Type.Object(
    {
      tool: Type.String(),
      subject: Type.String({ description: 'What it is about, as it was understood.' }),
      verdict: Verdict,
      summary: Type.String({ description: 'One sentence.' }),
      findings: Type.Array(finding, { description: 'The most urgent first.' }),
      records: Type.Array(RawRecord, { description: 'What was asked, and what came back.' }),
      details,
      lookups: Type.Integer({
        minimum: 0,
        description: 'Questions that name servers were asked for it, at most 25.',
      }),
      checkedAt: Time,
    },
    {
      title,
      examples: [
        {
          tool,
          subject: 'example.com',
          verdict: 'pass',
          summary: 'example.com is in order.',
          findings: [],
          records: [{ name: 'example.com', type: 'TXT', status: 'found', values: ['v=spf1 -all'] }],
          details: example,
          lookups: 1,
          checkedAt: TIME,
        },
      ],
    },
  )
