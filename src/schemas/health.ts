import { Type } from 'typebox'
import { TIME, Time } from './common.ts'

export const Health = Type.Object(
  { status: Type.String({ examples: ['ok'] }), timestamp: Time, version: Type.String() },
  { title: 'Health', examples: [{ status: 'ok', timestamp: TIME, version: '1.0.0' }] },
)

export const ApiInfo = Type.Object(
  {
    name: Type.String({ examples: ['Letterloom'] }),
    version: Type.String(),
    docs: Type.String({ description: 'Address of this documentation.' }),
  },
  {
    title: 'ApiInfo',
    examples: [{ name: 'Letterloom', version: '1.0.0', docs: 'https://mail.example.com/docs' }],
  },
)
