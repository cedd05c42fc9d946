import { Type } from 'typebox'
import { nullable, strict, TIME, Time } from '../common.ts'
import { CloudAccountId } from './domain.ts'

export const CloudAccountParams = strict({ cloudAccountId: CloudAccountId })

export const ConsolePolicyReading = Type.Object(
  {
    version: nullable(
      Type.Number({
        description:
          'Version of the policy. Null if it was never read, or if the role carries no console policy.',
      }),
    ),
    currentVersion: Type.Number({ description: 'Version of a newly generated policy.' }),
    upToDate: Type.Boolean(),
    checkedAt: nullable(Time),
    rechecked: Type.Boolean({
      description: '`false` if the result of an earlier check was returned.',
    }),
  },
  {
    title: 'ConsolePolicyReading',
    examples: [{ version: 1, currentVersion: 1, upToDate: true, checkedAt: TIME, rechecked: true }],
  },
)
