import { refuse } from '../../domain/errors.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { targetOf } from '../../net/target.ts'

/**
 * Checks the address of a receiver as far as it can be without a look-up, and returns it as it is
 * stored. The addresses of its host are checked at every call. Throws a 400.
 */
export function hookUrl(text: string, { allowsHttp }: { allowsHttp: boolean }): string {
  try {
    const { url, isSecure } = targetOf(text)
    if (!isSecure && !allowsHttp) refuse('url', 'must begin with https://')
    // Other characters than those of URLs are written longer.
    return targetOf(url.href).url.href
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    refuse('url', `cannot be called: ${error.message}`)
  }
}
