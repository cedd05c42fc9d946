import { type TSchema, Type } from 'typebox'
import { RECORD_TYPES, SEVERITIES, VERDICTS } from '../../domain/deliverability/report.ts'
import { nullable, oneOf, TIME, Time } from '../common.ts'

export const Verdict = oneOf(VERDICTS, {
  description: '`unknown`: a look-up failed or was refused, so there is no result.',
  examples: ['pass'],
})

export const Finding = Type.Object(
  {
    code: Type.String({
      description: 'A stable snake_case word. New ones may be added.',
      examples: ['spf_found'],
    }),
    severity: oneOf(SEVERITIES, {
      description: '`info` does not change the verdict.',
      examples: ['pass'],
    }),
    message: Type.String({ examples: ['example.com has one SPF record, and it can be read.'] }),
    fix: nullable(
      Type.String({
        description: 'The next step, in one sentence. Null if there is nothing to do.',
      }),
    ),
  },
  { title: 'ToolFinding' },
)

const RawRecord = Type.Object(
  {
    name: Type.String({ examples: ['example.com'] }),
    type: oneOf(RECORD_TYPES, {
      description: 'Type of the record. `HTTPS` is the content of the fetched address in `name`.',
    }),
    status: oneOf(['found', 'empty', 'no_name', 'failed'] as const, {
      description:
        '`empty`: the name exists, but has no record of this type. `no_name`: the name does not exist. `failed`: no answer.',
    }),
    values: Type.Array(Type.String(), {
      description: 'At most 20 values, each cut at 4,096 characters.',
    }),
  },
  { title: 'ToolRecord' },
)

interface ReportOptions {
  title: string
  tool: string
  example: object
  finding?: TSchema
}

export const reportOf = (
  { title, tool, example, finding = Finding }: ReportOptions,
  details: TSchema,
) =>
  Type.Object(
    {
      tool: Type.String(),
      subject: Type.String({
        description: 'The domain, address or mail that was checked, in normalized form.',
      }),
      verdict: Verdict,
      summary: Type.String({ description: 'Summary in one sentence.' }),
      findings: Type.Array(finding, { description: 'Findings, the most urgent first.' }),
      records: Type.Array(RawRecord, {
        description: 'Records that were looked up, and their answers.',
      }),
      details,
      lookups: Type.Integer({
        minimum: 0,
        description: 'Number of look-ups, at most 25.',
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
          summary: 'example.com has no problems.',
          findings: [],
          records: [{ name: 'example.com', type: 'TXT', status: 'found', values: ['v=spf1 -all'] }],
          details: example,
          lookups: 1,
          checkedAt: TIME,
        },
      ],
    },
  )
