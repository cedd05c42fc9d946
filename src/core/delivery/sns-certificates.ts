import { type KeyObject, X509Certificate } from 'node:crypto'
import { isCertificateName } from '../../domain/delivery/sns-message.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Fetcher } from '../../net/fetch.ts'

/** Lifetime in the cache, whatever the certificate's own validity says. */
const KEPT_MS = 24 * 3_600_000
/** Time for which an address without a certificate is not asked again. */
const KEPT_ABSENT_MS = 60_000
/**
 * Requests a minute that the holder of a topic without a valid signature can cause for its
 * connection.
 */
const MOST_A_MINUTE = 10
const MINUTE_MS = 60_000
/** Cached certificates. The provider has one for each region at a time. */
const MOST_KEPT = 500
const MOST_UNDER_WAY = 20
const MOST_BYTES = 16_384
const TIMEOUT_MS = 3_000
const LEAST_BITS = 2_048

/** `absent`: there is no certificate of SNS. `unreachable`: the address did not answer. */
type CertificateProblem = 'absent' | 'unreachable'

export interface SnsCertificates {
  /** Returns the cached key. Undefined: it must be fetched. */
  recall(url: string): KeyObject | 'absent' | undefined
  /** Returns the public key of the certificate at a checked address. */
  fetch(url: string, connectionId: Uuid): Promise<KeyObject | CertificateProblem>
}

interface CachedCertificate {
  found: KeyObject | 'absent'
  from: number
  until: number
}

/**
 * Fetches and caches the certificates with which SNS signs. Concurrent callers share one request,
 * over TLS to the provider's own host. A certificate must be valid now and name SNS.
 */
export function createSnsCertificates({
  fetcher,
  now,
}: {
  fetcher: Fetcher
  now: () => number
}): SnsCertificates {
  const cache = new Map<string, CachedCertificate>()
  const underWay = new Map<string, Promise<KeyObject | CertificateProblem>>()
  const fetched = { minute: 0, counts: new Map<Uuid, number>() }

  function mayFetch(connectionId: Uuid): boolean {
    const minute = Math.floor(now() / MINUTE_MS)
    if (fetched.minute !== minute) fetched.counts.clear()
    fetched.minute = minute
    const count = fetched.counts.get(connectionId) ?? 0
    fetched.counts.set(connectionId, count + 1)
    return count < MOST_A_MINUTE
  }

  function recall(url: string): KeyObject | 'absent' | undefined {
    const entry = cache.get(url)
    return entry && entry.from <= now() && now() < entry.until ? entry.found : undefined
  }

  function keep(url: string, entry: CachedCertificate): CachedCertificate['found'] {
    cache.delete(url)
    cache.set(url, entry)
    for (const oldest of cache.keys()) {
      if (cache.size <= MOST_KEPT) break
      cache.delete(oldest)
    }
    return entry.found
  }

  async function load(url: string): Promise<KeyObject | CertificateProblem> {
    const answer = await fetcher
      .send({ url, method: 'GET', timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES })
      .catch(() => undefined)
    if (!answer || answer.status >= 500 || answer.status === 429) return 'unreachable'
    const from = now()
    const certificate = answer.status === 200 ? read(answer.body, from) : undefined
    if (!certificate) return keep(url, { found: 'absent', from, until: from + KEPT_ABSENT_MS })
    const until = Math.min(from + KEPT_MS, certificate.until)
    return keep(url, { found: certificate.key, from, until })
  }

  return {
    recall,
    fetch: async (url, connectionId) => {
      const shared = underWay.get(url)
      if (shared) return shared
      if (underWay.size >= MOST_UNDER_WAY || !mayFetch(connectionId)) return 'unreachable'
      const loading = load(url).finally(() => underWay.delete(url))
      underWay.set(url, loading)
      return loading
    },
  }
}

/** Returns the key. Undefined: SNS does not sign with this certificate at that time. */
function read(pem: Buffer, at: number): { key: KeyObject; until: number } | undefined {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(pem)
  } catch {
    return undefined
  }
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const key = certificate.publicKey
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  const isStrong = key.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS
  const isValid = from <= at && at < until && !certificate.ca && isStrong
  return isValid && namesOf(certificate).some(isCertificateName) ? { key, until } : undefined
}

/** Returns the server names of a certificate, and its common name. */
function namesOf({ subject, subjectAltName = '' }: X509Certificate): string[] {
  const servers = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)]
  const common = [...subject.matchAll(/^CN=(.+)$/gm)]
  return [...servers, ...common].flatMap(([, name]) => name ?? [])
}
