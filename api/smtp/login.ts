import { allows } from '../../src/domain/access/access.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { apiKeyHash, type Keyring } from '../../src/keys/tokens.ts'
import { cachedCredential } from '../access/cached-credential.ts'
import { type Credential, keyCredential, useNoter } from '../access/credentials.ts'
import { type Caller, insufficient } from '../caller.ts'
import type { Limiter } from '../limits/limiter.ts'
import { rateLimits, tooMany } from '../limits/rate-limit.ts'
import { Reply, replyOf } from './replies.ts'

/** User name of everybody. The key identifies the caller. */
const USER = 'letterloom'
const WRONG = new Reply(
  535,
  `Use the user name ${USER} and an API key of scope send as the password`,
)

interface LoginDeps {
  sql: Sql
  keyring: Keyring
  limiter: Limiter
  log: { warn: (about: object, message: string) => void }
  now: () => number
}

export interface Login {
  /** SHA-256 of the key, in base64. */
  keyHash: string
}

export interface Submitter {
  caller: Caller
  keyId: Uuid
}

export function createLogins({ sql, keyring, limiter, log, now }: LoginDeps) {
  const limits = rateLimits({ limiter, keyring })
  const noteUse = useNoter(log, now)
  const credentials = cachedCredential((keyHash) =>
    keyCredential(sql, Buffer.from(keyHash, 'base64')),
  )

  async function find({ keyHash }: Login): Promise<Credential | undefined> {
    const credential = await credentials.find(keyHash)
    return credential?.isExpired(now()) === false ? credential : undefined
  }

  return {
    /** Throws the reply to a login that is refused; guesses of an address are limited. */
    async logIn({
      username,
      password,
      address,
    }: {
      username: string
      password: string
      address: string
    }): Promise<Login> {
      const hash = username === USER ? apiKeyHash(password) : undefined
      const login = { keyHash: hash?.toString('base64') ?? '' }
      const credential = hash && (await find(login))
      if (!credential) {
        const { allowed, retryAfterSeconds } = await limits.decideGuess(address)
        if (allowed) throw WRONG
        // The connection is closed with it.
        throw new Reply(421, `Too many failed logins; wait ${retryAfterSeconds} s`)
      }
      const { actor, scopes } = credential.caller
      if (!allows(scopes, 'send')) throw new Reply(535, insufficient(actor, 'send').message)
      noteUse(credential)
      return login
    },

    /**
     * Returns the caller who submits a message, and counts it for them. Throws the reply to a
     * refusal.
     */
    async takeMessage(login: Login): Promise<Submitter> {
      const submitter = await submitterOf(login)
      const { allowed, retryAfterSeconds } = await limits.decideCaller(submitter.caller)
      if (!allowed) throw replyOf(tooMany(retryAfterSeconds))
      return submitter
    },

    submitterOf,
  }

  async function submitterOf(login: Login): Promise<Submitter> {
    const credential = await find(login)
    if (!credential) throw new Reply(530, 'This key is no longer valid')
    noteUse(credential)
    return { caller: credential.caller, keyId: credential.id }
  }
}
