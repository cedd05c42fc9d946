import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/access/login.ts'

/**
 * Reads a new password, hidden at a terminal, otherwise from the first line of standard input.
 * Arguments would be visible to other users of the machine and in the shell's history.
 */
export async function askPassword(): Promise<string> {
  const { stdin, stderr } = process
  const isTerminal = stdin.isTTY
  if (isTerminal) stderr.write('New password: ')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: unseen, terminal: isTerminal })
  const first = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(undefined))
  })
  lines.close()
  if (isTerminal) stderr.write('\n')
  const length = Array.from(first ?? '').length
  if (first !== undefined && length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD) return first
  throw new Error(
    `A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters; it is read from standard input`,
  )
}
