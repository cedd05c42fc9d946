import type { Config } from '../../config.ts'
import { createToolbox, type Toolbox } from '../../core/deliverability/toolbox.ts'
import { createFetcher, type Fetcher } from '../../net/fetch.ts'
import { createAddressFinder } from '../../net/find-addresses.ts'
import { createLookups } from '../../net/lookups.ts'
import { version } from './version.ts'

/**
 * The deliverability tools with the name servers of the settings. Whatever private ranges webhooks
 * may reach: strangers use the tools, and they reach the public internet only.
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

/** What asks the provider for certificates and confirmations of SNS: the public internet only. */
export const publicFetcher = ({ dnsServers }: Pick<Config, 'dnsServers'>): Fetcher =>
  createFetcher({ allowed: [], findAddresses: createAddressFinder({ servers: dnsServers }) })
