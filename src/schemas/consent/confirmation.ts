import { Type } from 'typebox'

export const Confirmed = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'Confirmed', examples: [{ success: true, message: 'You are subscribed' }] },
)
