import type { Config } from '../../config.ts'

export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set; see docs/configuration.md`)
  return value
}

/** Returns the configured address of Temporal, or that of its development server. */
export const temporalAddress = ({ temporal }: Config): string =>
  temporal.address ?? '127.0.0.1:7233'

/**
 * Longest wait between attempts. By default, gRPC would wait up to two minutes before it tries a
 * server that is back.
 */
const RECONNECT_MS = 2_000

export const temporalConnection = (config: Config) => {
  const { apiKey, tls, metadata } = config.temporal
  return {
    address: temporalAddress(config),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls == null ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
    channelArgs: { 'grpc.max_reconnect_backoff_ms': RECONNECT_MS },
  }
}
