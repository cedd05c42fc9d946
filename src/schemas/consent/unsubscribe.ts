import { Type } from 'typebox'
import { strict } from '../common.ts'

export const TokenParams = strict({
  token: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'Token from the link in the email.',
  }),
})

export const Unsubscribed = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  {
    title: 'Unsubscribed',
    examples: [{ success: true, message: 'You are unsubscribed' }],
  },
)
