import { Type } from 'typebox'
import { Time } from './common.ts'

export const Health = Type.Object(
  { status: Type.String({ examples: ['ok'] }), timestamp: Time, version: Type.String() },
  { title: 'Health' },
)

export const ApiInfo = Type.Object(
  {
    name: Type.String({ examples: ['Letterloom'] }),
    version: Type.String(),
    docs: Type.String({ description: 'Address of this documentation.' }),
  },
  { title: 'ApiInfo' },
)
