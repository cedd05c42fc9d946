import type { Credentials } from './signature.ts'

/**
 * Returns the SDK client's signing settings: credentials, and AWS' clock difference when they were
 * made. The SDK corrects its clock only after a refusal, only if it may repeat the call, and for
 * the lifetime of the client.
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
