import type { Config } from '../../config.ts'
import { createToolbox, type Toolbox } from '../../core/deliverability/toolbox.ts'
import { createFetcher, type Fetcher } from '../../net/fetch.ts'
import { createAddressFinder } from '../../net/find-addresses.ts'
import { createLookups } from '../../net/lookups.ts'
import { version } from './version.ts'

/**
 * Creates the deliverability tools with the configured name servers. They reach the public internet
 * only, whatever private ranges webhooks may reach, since strangers use them.
 */
export const toolboxOf = ({
  dnsServers,
  publicUrl,
}: Pick<Config, 'dnsServers' | 'publicUrl'>): Toolbox =>
  createToolbox({
    lookups: createLookups({ servers: dnsServers }),
    createFetcher: (findAddresses) => createFetcher({ allowed: [], findAddresses }),
    now: Date.now,
    userAgent: `Letterloom-Tools/${version} (+${new URL('/tools', publicUrl).href})`,
  })

/**
 * Creates a fetcher for certificates and confirmations of SNS. It reaches the public internet only.
 */
export const publicFetcher = ({ dnsServers }: Pick<Config, 'dnsServers'>): Fetcher =>
  createFetcher({ allowed: [], findAddresses: createAddressFinder({ servers: dnsServers }) })
