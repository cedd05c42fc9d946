import { Copy } from '../ui/copy.tsx'
import { Note } from '../ui/states.tsx'

/** A secret that was just created. Nobody can read it later. */
export function NewSecret({ secret, children }: { secret: string; children?: string }) {
  return (
    <Note tone="good">
      <strong>Copy the secret now: it is shown only this once.</strong>
      <Copy text={secret} isBlock />
      <p>Your receiver checks with it that a call is ours (Standard Webhooks). {children}</p>
    </Note>
  )
}
