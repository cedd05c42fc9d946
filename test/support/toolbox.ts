import { createToolbox, type Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { createFetcher, type Fetcher, type FetcherOptions } from '../../src/net/fetch.ts'
import { askDns } from '../../src/net/dns.ts'
import { createLookups } from '../../src/net/lookups.ts'

const userAgent = 'Letterloom-Tools/test'

/** The tools in a world without names, so that nothing leaves the machine. */
export const offlineToolbox = (): Toolbox =>
  createToolbox({
    lookups: createLookups({ ask: async () => ({ status: 'no_name' }) }),
    createFetcher: (findAddresses) => createFetcher({ allowed: [], findAddresses }),
    now: Date.now,
    userAgent,
  })

/** A fetcher that reaches nothing. */
export const offlineFetcher: Fetcher = createFetcher({
  allowed: [],
  findAddresses: async () => [],
})

/** The tools with one name server. Fetches follow the options. */
export const toolboxAt = (
  address: string,
  {
    now = Date.now,
    isAnyPort = false,
    ...fetching
  }: Partial<FetcherOptions> & { now?: () => number; isAnyPort?: boolean } = {},
): Toolbox =>
  createToolbox({
    lookups: createLookups({ servers: [address], now, ask: askPatiently }),
    createFetcher: (findAddresses) => createFetcher({ allowed: [], findAddresses, ...fetching }),
    now,
    userAgent,
    isAnyPort,
  })

const TRIES = 3
const PATIENCE_MS = 2_500

/** Repeats queries that a busy machine did not answer in time. Intended silence stays silence. */
export const askPatiently: typeof askDns = async (question) => {
  for (let remainingTries = TRIES - 1; ; remainingTries--) {
    const answer = await askDns({ ...question, signal: AbortSignal.timeout(PATIENCE_MS) })
    if (remainingTries === 0 || answer.status !== 'failed' || answer.reason !== 'timeout')
      return answer
  }
}
