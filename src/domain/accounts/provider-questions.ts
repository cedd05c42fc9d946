/**
 * Questions of the `askProvider` workflow about an account. They are stored and are part of its id.
 */

export const CONSOLE_POLICY_VERSION = 'console-policy'
/** All identities. The question for a single one is `identity/` and a hash of its name. */
export const IDENTITIES = 'identities'
/** Usability of the account, and each permission. */
export const VERIFICATION = 'verification'

/** Longest run of `askProvider`: an attempt whose worker is lost, and a full one. */
export const ASK_MS = 40_000
