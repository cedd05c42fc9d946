import type { Config } from '../../config.ts'
import { type Keyring, keyProblems, parseKeyring } from '../../keys/tokens.ts'
import { required } from './required.ts'

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/

/**
 * Returns the keys, if a program may run with this configuration: outside of development, it
 * refuses weak keys, development keys, and links over the open network in plain text. Throws one
 * error that names all wrong settings and none of their values.
 */
export function checkedKeyring({ keys, mode, publicUrl }: Config): Keyring {
  const keyring = parseKeyring(required(keys, 'LETTERLOOM_KEYS'))
  if (mode === 'development') return keyring
  const { protocol, hostname } = new URL(publicUrl)
  const isPlain = protocol !== 'https:' && !LOOPBACK.test(hostname)
  const problems = [
    ...keyProblems(keyring),
    ...(isPlain ? ['PUBLIC_URL: outside development it must begin with https://'] : []),
  ]
  if (problems.length > 0) throw new Error(`Refusing to start:\n  ${problems.join('\n  ')}`)
  return keyring
}
