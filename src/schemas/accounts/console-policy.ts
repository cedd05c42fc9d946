import { Type } from 'typebox'
import { nullable, strict, TIME, Time } from '../common.ts'
import { CloudAccountId } from './domain.ts'

export const CloudAccountParams = strict({ cloudAccountId: CloudAccountId })

export const ConsolePolicyReading = Type.Object(
  {
    version: nullable(
      Type.Number({ description: 'Null: never read, or the role carries no console policy.' }),
    ),
    currentVersion: Type.Number({ description: 'What a newly generated policy would carry.' }),
    upToDate: Type.Boolean(),
    checkedAt: nullable(Time),
    rechecked: Type.Boolean({ description: 'False: this is what was found out before.' }),
  },
  {
    title: 'ConsolePolicyReading',
    examples: [{ version: 1, currentVersion: 1, upToDate: true, checkedAt: TIME, rechecked: true }],
  },
)
