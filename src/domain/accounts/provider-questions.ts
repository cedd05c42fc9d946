/** What the `askProvider` workflow can be asked about an account. Stored, and part of its id. */

/** Which version of the console policy the role carries. */
export const CONSOLE_POLICY_VERSION = 'console-policy'
/** All identities. One of them is `identity/` and a hash of its name. */
export const IDENTITIES = 'identities'
/** Whether the account may be used, and each permission. */
export const VERIFICATION = 'verification'

/** Longest run of `askProvider`: an attempt whose worker is lost, and one of full length. */
export const ASK_MS = 40_000
