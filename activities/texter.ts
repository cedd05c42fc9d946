import type { Call, Outcome } from './mailer.ts'

export interface Text {
  /** E.164. */
  to: string
  body: string
  /** A number, a pool or a sender id of the account, or the ARN of one. */
  sender: string
  /** Values that the provider's events return, by name. */
  context: Readonly<Record<string, string>>
  /** Without it nobody would hear what became of the text. */
  configurationSet: string
}

/** Sends text messages. Results are those of mails. */
export interface Texter {
  send(text: Text, call: Call): Promise<Outcome | { kind: 'not_begun' }>
  close(): Promise<void>
}
