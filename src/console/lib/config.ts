import { queryOptions } from '@tanstack/react-query'

export interface ConsoleConfig {
  version: string
  isDevelopment: boolean
  inboxUrl?: string
  temporalUiUrl?: string
  sendsNotices: boolean
}

export const CONFIG_KEY = ['config']

/** What the program that serves this page says of itself. */
export const configQuery = queryOptions({
  queryKey: CONFIG_KEY,
  queryFn: async (): Promise<ConsoleConfig> => (await fetch('/console/config.json')).json(),
  staleTime: Number.POSITIVE_INFINITY,
})
