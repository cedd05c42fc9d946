import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Account } from '../accounts.ts'
import type { Texts } from './texts.ts'

const InboundTextSchema = Type.Object(
  {
    from: Type.String({ pattern: '^\\+[1-9][0-9]{1,18}$' }),
    /** A sender of the account. */
    to: Type.String(),
    body: Type.String({ maxLength: 1_600 }),
  },
  { additionalProperties: false },
)
export type InboundText = Static<typeof InboundTextSchema>
export const inboundText = Compile(InboundTextSchema)

export interface InboundOutcome {
  isOptedOut: boolean
  isPublished: boolean
}

/** Keywords that the service requires of every number. */
const STOPS = 'ARRET CANCEL END OPT-OUT OPTOUT QUIT REMOVE STOP TD UNSUBSCRIBE'.split(' ')

/**
 * A person writes to a number. Where the service manages opt-outs, it answers STOP itself, puts the
 * person on the list and passes nothing on. START takes them off again, as with a keyword whose
 * action is OPT_IN, and is passed on. Undefined: the account has no such sender.
 */
export async function receiveText(
  texts: Texts,
  account: Account,
  { from, to, body }: InboundText,
): Promise<InboundOutcome | undefined> {
  const sender = account.sms.senders.find(({ identity }) => identity === to)
  if (sender === undefined) return undefined
  const { optOutList, selfManagedOptOuts, twoWay = false } = sender
  const keyword = body.trim().toUpperCase()
  const isStop = STOPS.includes(keyword) && !selfManagedOptOuts
  if (isStop) await texts.optedOut.put(account, optOutList, from)
  else if (keyword === 'START') await texts.optedOut.remove(account, optOutList, from)
  const isPublished = twoWay && !isStop
  if (isPublished) await texts.publishInbound(account, { from, sender, body })
  return { isOptedOut: await texts.optedOut.has(account, optOutList, from), isPublished }
}
