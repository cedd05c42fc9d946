export interface SessionCookie {
  token: string
  /** The person stays signed in when the browser is closed. */
  isKept: boolean
}

/**
 * `__Host-`: no other host can set the cookie, and browsers take it with TLS only. Browsers that do
 * not count this machine as safe would refuse it in development.
 */
const NAMES = { https: '__Host-letterloom', http: 'letterloom-dev' } as const
const KEPT = '.keep'
const VALUE = /^([\w-]{1,200})(\.keep)?$/

const hasTls = (publicUrl: string): boolean => publicUrl.startsWith('https:')
const nameAt = (publicUrl: string): string => (hasTls(publicUrl) ? NAMES.https : NAMES.http)

export function sessionCookieIn(
  header: string | undefined,
  publicUrl: string,
): SessionCookie | undefined {
  const prefix = `${nameAt(publicUrl)}=`
  const pair = header?.split('; ').find((each) => each.startsWith(prefix))
  const [, token, keptMark] = VALUE.exec(pair?.slice(prefix.length) ?? '') ?? []
  return token === undefined ? undefined : { token, isKept: keptMark !== undefined }
}

/** Returns the value of `Set-Cookie`. Without `isKept` the browser forgets it when it is closed. */
export const setSession = (
  publicUrl: string,
  { token, isKept, expiresAt }: SessionCookie & { expiresAt: string },
): string =>
  isKept
    ? cookie(publicUrl, `${token}${KEPT}`, `; Expires=${new Date(expiresAt).toUTCString()}`)
    : cookie(publicUrl, token)

export const clearSession = (publicUrl: string): string => cookie(publicUrl, '', '; Max-Age=0')

const cookie = (publicUrl: string, value: string, more = ''): string =>
  `${nameAt(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Strict${hasTls(publicUrl) ? '; Secure' : ''}${more}`
