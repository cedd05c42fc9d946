import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS, type Timings } from './domain/delivery/timings.ts'

export interface Config {
  databaseUrl: string | undefined
  temporal: {
    address: string | undefined
    namespace: string
    apiKey: string | undefined
    uiUrl: string | undefined
    isFair: boolean
    /** Undefined: the SDK decides, and uses TLS if there is an API key. */
    tls: ClientConnectConfig['connectionOptions']['tls']
    metadata: ClientConnectConfig['connectionOptions']['metadata']
  }
  host: string
  port: number
  /** Base URL of the API for people and mail clients. Links in mails begin with it. */
  publicUrl: string
  /** Ordered `kid:base64(32 bytes)`. The first key signs, all keys verify. */
  keys: string | undefined
  /** `development`: development keys and plain HTTP are accepted. Set by `dev` for its programs. */
  mode: 'production' | 'development'
  /** Address of liveness, readiness and metrics. Without a port they are not served. */
  internal: {
    host: string
    port: number | undefined
  }
  smtp: {
    /** Port with STARTTLS, or in plain text without a certificate. */
    port: number
    /** Port with TLS from the first byte. */
    securePort: number
    /** PEM, with the chain. */
    certificatePath: string | undefined
    keyPath: string | undefined
  }
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, ranges, `loopback`, `peer`. */
  trustedProxies: readonly string[]
  corsOrigins: readonly string[]
  /** Addresses and ranges that are not public and that requests to customers' URLs may reach. */
  netAllowPrivate: readonly string[]
  /** Name servers, `192.0.2.53` or `192.0.2.53:5353`. Empty: those of the machine. */
  dnsServers: readonly string[]
  /**
   * Seconds for which the API serves requests after a shutdown was requested, while it reports that
   * it is not ready, so that a load balancer can react.
   */
  drainSeconds: number
  logLevel: string
  timings: Timings
  /** The operator's own sender, for mail to owners. Without an address no notices are sent. */
  notices: {
    from: string | undefined
    region: string
  }
  /** API key of a customer, for commands that call the API. */
  apiKey: string | undefined
  /** Set: `dev` leaves the SDK's endpoint alone. Unset: `dev` points it at the sandbox. */
  awsEndpoint: string | undefined
  /**
   * The user, role or account of our workers, which customers' roles trust. Unset: no setup files
   * are offered.
   */
  awsPrincipalArn: string | undefined
  /**
   * Development only: folders of state and downloaded tools, and the ports of programs that `dev`
   * starts.
   */
  dev: {
    folder: string
    cacheFolder: string
    postgresPort: number
    temporalPort: number
    temporalUiPort: number
    sandboxPort: number
  }
}

const TEMPORAL_TLS = [
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
  'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
]

type Environment = Record<string, string | undefined>

/**
 * Reads and checks the environment once, at boot. One error names every bad value. The result is
 * frozen. A value `X` may also come from the file named by `X_FILE` (container secrets).
 */
export function readConfig(env: Environment = process.env): Config {
  const problems: string[] = []
  const text = (name: string): string | undefined => {
    const file = env[`${name}_FILE`]
    if (env[name] !== undefined && env[name] !== '') return env[name]
    if (file === undefined || file === '') return undefined
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      problems.push(`${name}_FILE: cannot read ${file}`)
      return undefined
    }
  }
  const port = (name: string, fallback: number): number => {
    const value = text(name)
    if (value === undefined) return fallback
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
    problems.push(`${name}: "${value}" is not a port (0 to 65535)`)
    return fallback
  }
  const list = (name: string, allowed: (each: string) => boolean, what: string): string[] => {
    const values = (text(name) ?? '').split(',').map((each) => each.trim())
    const givenValues = values.filter((each) => each !== '')
    for (const each of givenValues) {
      if (!allowed(each)) problems.push(`${name}: "${each}" is not ${what}`)
    }
    return givenValues
  }
  const seconds = (name: string, fallback: number): number => {
    const value = text(name)
    if (value === undefined) return fallback
    if (/^\d{1,3}$/.test(value)) return Number(value)
    problems.push(`${name}: "${value}" is not a number of seconds (0 to 999)`)
    return fallback
  }
  const url = (name: string, fallback: string): string => {
    const value = text(name) ?? fallback
    if (/^https?:\/\//.test(value) && URL.canParse(value)) return value.replace(/\/+$/, '')
    problems.push(`${name}: "${value}" is not an http(s) address`)
    return fallback
  }
  const arn = (name: string): string | undefined => {
    const value = text(name)
    if (value === undefined || PRINCIPAL.test(value)) return value
    problems.push(`${name}: "${value}" is not the ARN of an IAM user, role or account`)
    return undefined
  }
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const value = text(name) ?? fallback
    const knownValue = values.find((each) => each === value)
    if (knownValue === undefined)
      problems.push(`${name}: "${value}" is not one of ${values.join(', ')}`)
    return knownValue ?? fallback
  }

  const matching = (name: string, pattern: RegExp, what: string): string | undefined => {
    const value = text(name)
    if (value === undefined || pattern.test(value)) return value
    problems.push(`${name}: "${value}" is not ${what}`)
    return undefined
  }

  const apiPort = port('PORT', 3000)
  const config: Config = {
    databaseUrl: text('DATABASE_URL'),
    temporal: {
      address: text('TEMPORAL_ADDRESS'),
      namespace: text('TEMPORAL_NAMESPACE') ?? 'default',
      apiKey: text('TEMPORAL_API_KEY'),
      uiUrl: text('TEMPORAL_UI_URL') === undefined ? undefined : url('TEMPORAL_UI_URL', ''),
      isFair: oneOf('TEMPORAL_FAIRNESS', ['on', 'off'], 'on') === 'on',
      ...temporalEncryption(env, text, problems),
    },
    host: text('HOST') ?? '127.0.0.1',
    port: apiPort,
    publicUrl: url('PUBLIC_URL', `http://127.0.0.1:${apiPort}`),
    keys: text('LETTERLOOM_KEYS'),
    mode: oneOf('LETTERLOOM_MODE', ['production', 'development'], 'production'),
    internal: {
      host: text('INTERNAL_HOST') ?? '127.0.0.1',
      port: text('INTERNAL_PORT') === undefined ? undefined : port('INTERNAL_PORT', 0),
    },
    smtp: {
      port: port('SMTP_PORT', 2587),
      securePort: port('SMTPS_PORT', 2465),
      certificatePath: text('SMTP_CERTIFICATE_PATH'),
      keyPath: text('SMTP_KEY_PATH'),
    },
    trustedProxies: list('TRUSTED_PROXIES', isProxy, 'an address, a range or loopback'),
    corsOrigins: list('CORS_ORIGINS', isOrigin, 'an origin, such as https://app.example.com'),
    netAllowPrivate: list('NET_ALLOW_PRIVATE', isRange, 'an address or a range'),
    dnsServers: list('DNS_SERVERS', isNameServer, 'an address, with or without a port'),
    drainSeconds: seconds('DRAIN_SECONDS', 5),
    logLevel: oneOf(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'info',
    ),
    timings:
      oneOf('LETTERLOOM_TIMINGS', ['production', 'short'], 'production') === 'short'
        ? SHORT_TIMINGS
        : PRODUCTION_TIMINGS,
    notices: {
      from: matching('NOTICE_FROM', SENDER, 'a sender, such as notices@example.com'),
      region: matching('NOTICE_REGION', REGION, 'a region, such as eu-west-1') ?? DEFAULT_REGION,
    },
    apiKey: text('LETTERLOOM_API_KEY'),
    awsEndpoint: text('AWS_ENDPOINT_URL'),
    awsPrincipalArn: arn('AWS_PRINCIPAL_ARN'),
    dev: developmentSettings(text, port),
  }
  if (problems.length > 0) throw new Error(`Bad configuration:\n  ${problems.join('\n  ')}`)
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(config)
}

/**
 * Without wildcards and assumed-role sessions: a trust policy needs the role itself (IAM user
 * guide, "IAM identifiers").
 */
const PRINCIPAL = /^arn:aws(?:-cn|-us-gov)?:iam::\d{12}:(?:root|(?:user|role)\/[\w+=,.@/-]{1,512})$/

const SENDER =
  /^(?:[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+|[\w .-]{1,100} <[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+>)$/
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/
const DEFAULT_REGION = 'us-east-1'

/**
 * Reads the TLS settings of Temporal. Names and meaning are those of Temporal's SDKs ("Environment
 * configuration").
 */
function temporalEncryption(
  env: Environment,
  text: (name: string) => string | undefined,
  problems: string[],
): Pick<Config['temporal'], 'tls' | 'metadata'> {
  const names = Object.keys(env).filter((name) => name.startsWith('TEMPORAL_GRPC_META_'))
  const settings = Object.fromEntries(
    [...TEMPORAL_TLS, ...names].flatMap((name) => {
      const value = text(name)
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Record<string, string>
  const pair = ['TEMPORAL_TLS_CLIENT_CERT', 'TEMPORAL_TLS_CLIENT_KEY'].map(
    (name) => `${name}_PATH` in settings || `${name}_DATA` in settings,
  )
  if (pair[0] !== pair[1]) {
    problems.push('TEMPORAL_TLS_CLIENT_CERT_… and TEMPORAL_TLS_CLIENT_KEY_… go together')
  }
  if ('TEMPORAL_TLS_DISABLE_HOST_VERIFICATION' in settings) {
    problems.push('TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: the SDK for Node always verifies hosts')
  }
  try {
    const { connectionOptions } = loadClientConnectConfig({
      disableFile: true,
      overrideEnvVars: settings,
    })
    return { tls: connectionOptions.tls, metadata: connectionOptions.metadata }
  } catch (error) {
    problems.push(`TEMPORAL_TLS_…: ${error instanceof Error ? error.message : String(error)}`)
    return { tls: undefined, metadata: undefined }
  }
}

function developmentSettings(
  text: (name: string) => string | undefined,
  port: (name: string, fallback: number) => number,
): Config['dev'] {
  return {
    folder: text('LETTERLOOM_HOME') ?? '.letterloom',
    cacheFolder: text('LETTERLOOM_CACHE') ?? defaultCache(text('XDG_CACHE_HOME')),
    postgresPort: port('POSTGRES_PORT', 5433),
    temporalPort: port('TEMPORAL_PORT', 7233),
    temporalUiPort: port('TEMPORAL_UI_PORT', 8233),
    sandboxPort: port('SANDBOX_PORT', 4579),
  }
}

const NAMED_PROXIES = ['loopback', 'linklocal', 'uniquelocal', 'peer']

const isProxy = (text: string): boolean => NAMED_PROXIES.includes(text) || isRange(text)

function isRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0) return false
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

/** `192.0.2.53`, `192.0.2.53:5353`, `[2001:db8::53]:5353`. */
function isNameServer(text: string): boolean {
  const [, bracketed, plain, port = '53'] =
    /^(?:\[([^\]]*)\]|([^[\]]*?))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (isIP(text) !== 0) return true
  const isAddress = bracketed === undefined ? isIP(plain ?? '') === 4 : isIP(bracketed) === 6
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535
}

const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Outside the checkout, so that every checkout and CI share downloads. */
function defaultCache(xdgCacheHome: string | undefined): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'letterloom')
  return join(xdgCacheHome ?? join(homedir(), '.cache'), 'letterloom')
}

export const childEnvironment = (own: Record<string, string>): Environment => ({
  ...process.env,
  ...own,
})
