import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { PRODUCTION_TIMINGS, SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'

const folder = mkdtempSync(join(tmpdir(), 'letterloom-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('without anything set it is what a developer needs on one machine', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    databaseUrl: undefined,
    keys: undefined,
    temporal: { address: undefined, namespace: 'default', isFair: true },
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://127.0.0.1:3000',
    logLevel: 'info',
    timings: PRODUCTION_TIMINGS,
    mode: 'production',
    internal: { host: '127.0.0.1', port: undefined },
    smtp: { port: 2587, securePort: 2465, certificatePath: undefined, keyPath: undefined },
    trustedProxies: [],
    corsOrigins: [],
    netAllowPrivate: [],
    dnsServers: [],
    drainSeconds: 5,
    awsPrincipalArn: undefined,
    notices: { from: undefined, region: 'us-east-1' },
  })
})

test('what is set is taken', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://db/letterloom',
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_NAMESPACE: 'mail',
    TEMPORAL_FAIRNESS: 'off',
    HOST: '0.0.0.0',
    PORT: '8080',
    PUBLIC_URL: 'https://mail.example.com/',
    LETTERLOOM_KEYS: 'a:b',
    LOG_LEVEL: 'debug',
    LETTERLOOM_TIMINGS: 'short',
    INTERNAL_PORT: '0',
    SMTP_PORT: '587',
    SMTPS_PORT: '465',
    SMTP_CERTIFICATE_PATH: '/run/tls/fullchain.pem',
    SMTP_KEY_PATH: '/run/tls/privkey.pem',
    TRUSTED_PROXIES: '10.0.0.0/8, loopback,peer,2001:db8::1',
    CORS_ORIGINS: 'https://app.example.com,http://localhost:5173',
    NET_ALLOW_PRIVATE: '10.0.0.0/8, ::1',
    DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353,127.0.0.1:1053',
    DRAIN_SECONDS: '0',
    AWS_PRINCIPAL_ARN: 'arn:aws-us-gov:iam::123456789012:role/mail/letterloom',
    NOTICE_FROM: 'Letterloom <notices@mail.example.com>',
    NOTICE_REGION: 'us-gov-west-1',
  })
  expect(config).toMatchObject({
    databaseUrl: 'postgres://db/letterloom',
    temporal: { address: 'temporal:7233', namespace: 'mail', isFair: false },
    host: '0.0.0.0',
    port: 8080,
    // Paths are put behind it.
    publicUrl: 'https://mail.example.com',
    keys: 'a:b',
    logLevel: 'debug',
    timings: SHORT_TIMINGS,
    internal: { host: '127.0.0.1', port: 0 },
    smtp: {
      port: 587,
      securePort: 465,
      certificatePath: '/run/tls/fullchain.pem',
      keyPath: '/run/tls/privkey.pem',
    },
    notices: { from: 'Letterloom <notices@mail.example.com>', region: 'us-gov-west-1' },
    trustedProxies: ['10.0.0.0/8', 'loopback', 'peer', '2001:db8::1'],
    corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
    netAllowPrivate: ['10.0.0.0/8', '::1'],
    dnsServers: ['192.0.2.53', '[2001:db8::53]:5353', '127.0.0.1:1053'],
    drainSeconds: 0,
    awsPrincipalArn: 'arn:aws-us-gov:iam::123456789012:role/mail/letterloom',
  })
})

test('the public address follows the port', () => {
  expect(readConfig({ PORT: '8080' }).publicUrl).toBe('http://127.0.0.1:8080')
})

test('something empty is nothing', () => {
  expect(readConfig({ DATABASE_URL: '', PORT: '' })).toEqual(readConfig({}))
})

test('a value may come from a file, without the line break that editors leave', () => {
  const file = join(folder, 'keys')
  writeFileSync(file, 'a:secret\n')
  expect(readConfig({ LETTERLOOM_KEYS_FILE: file }).keys).toBe('a:secret')
})

test('Temporal is reached as its SDKs read the environment', () => {
  const file = join(folder, 'authority')
  writeFileSync(file, 'an authority')
  const set = {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
    TEMPORAL_TLS_CLIENT_CERT_DATA: 'a certificate',
    TEMPORAL_TLS_CLIENT_KEY_DATA: 'a key',
    TEMPORAL_GRPC_META_X_TENANT: 'one',
  }
  expect(readConfig(set).temporal).toMatchObject({
    tls: {
      serverRootCACertificate: new TextEncoder().encode('an authority'),
      serverNameOverride: 'temporal.example',
      clientCertPair: { crt: expect.anything(), key: expect.anything() },
    },
    metadata: { 'x-tenant': 'one' },
  })
  expect(readConfig({ TEMPORAL_TLS: 'true' }).temporal.tls).toBeTruthy()
  expect(readConfig({ TEMPORAL_TLS: 'false' }).temporal.tls).toBe(false)
  expect(readConfig({}).temporal.tls).toBeUndefined()
})

test.each([
  [{ TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' }, 'go together'],
  [{ TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere.pem' }, 'go together'],
  [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere.pem' }, '/nowhere.pem'],
  [{ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }, 'always verifies hosts'],
])('half of a setting for TLS is refused: %o', (env, sentence) => {
  expect(() => readConfig(env)).toThrow(sentence)
})

test('a value beats its file', () => {
  const file = join(folder, 'port')
  writeFileSync(file, '1')
  expect(readConfig({ PORT: '2', PORT_FILE: file }).port).toBe(2)
})

test.each([
  ['PORT', 'http'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '1e3'],
  ['PUBLIC_URL', 'mail.example.com'],
  ['PUBLIC_URL', 'ftp://mail.example.com'],
  ['PUBLIC_URL', 'https://'],
  ['LOG_LEVEL', 'loud'],
  ['LETTERLOOM_TIMINGS', 'fast'],
  ['SANDBOX_PORT', 'x'],
  ['INTERNAL_PORT', 'x'],
  ['SMTP_PORT', 'submission'],
  ['SMTPS_PORT', '65536'],
  ['LETTERLOOM_MODE', 'test'],
  ['TEMPORAL_FAIRNESS', 'yes'],
  ['DRAIN_SECONDS', '1.5'],
  ['TRUSTED_PROXIES', 'everybody'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['NET_ALLOW_PRIVATE', 'loopback'],
  ['NET_ALLOW_PRIVATE', '10.0.0.0/33'],
  ['NET_ALLOW_PRIVATE', 'localhost'],
  ['DNS_SERVERS', 'dns.example.com'],
  ['DNS_SERVERS', '192.0.2.53:0'],
  ['DNS_SERVERS', '192.0.2.53:65536'],
  ['NOTICE_FROM', 'notices'],
  ['NOTICE_FROM', 'a@example.com, b@example.com'],
  ['NOTICE_REGION', 'Frankfurt'],
  ['CORS_ORIGINS', '*'],
  ['AWS_PRINCIPAL_ARN', '*'],
  ['AWS_PRINCIPAL_ARN', 'arn:aws:iam::123456789012:role/*'],
  ['AWS_PRINCIPAL_ARN', 'arn:aws:sts::123456789012:assumed-role/letterloom/session'],
  ['CORS_ORIGINS', 'https://app.example.com/'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: "${value}" is not`)
})

test('every bad value is named at once', () => {
  const bad = { PORT: 'x', PUBLIC_URL: 'y', LOG_LEVEL: 'z', DATABASE_URL_FILE: '/nowhere/at/all' }
  expect(() => readConfig(bad)).toThrow(
    /^Bad configuration:(?=[^]*PORT: "x")(?=[^]*PUBLIC_URL: "y")(?=[^]*LOG_LEVEL: "z")(?=[^]*DATABASE_URL_FILE)/,
  )
})

test('nobody can change it afterwards, at any depth', () => {
  const thawed = (value: object, path: string): string[] => [
    ...(Object.isFrozen(value) ? [] : [path]),
    ...Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null ? thawed(inner, `${path}.${key}`) : [],
    ),
  ]
  expect(thawed(readConfig({}), 'config')).toEqual([])
})
