import type { Credentials } from './signature.ts'

/**
 * Returns what a client of the SDK signs with: credentials, and how far AWS' clock was ahead when
 * they were got. The SDK corrects its clock after a first refusal, but only where it may repeat the
 * call, and for as long as the client lives.
 */
export const signedWith = ({
  accessKeyId,
  secretAccessKey,
  sessionToken,
  clockAheadMs = 0,
}: Credentials) => ({
  credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  systemClockOffset: clockAheadMs,
})
