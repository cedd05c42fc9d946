import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { version } from '../../src/main/programs/version.ts'
import { parseKeyring } from '../../src/keys/tokens.ts'
import {
  environmentOf,
  interpolate,
  readComposeFile,
  type Service,
  variablesOf,
} from '../../tools/production/compose.ts'
import { SERVER_VERSION } from '../../tools/production/temporal-server.ts'

const ROOT = new URL('../../', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

const source = text('docker-compose.yml')
const { services, networks } = readComposeFile(new URL('docker-compose.yml', ROOT))
const all = Object.entries(services)
const ours = all.filter(([, { image }]) => image.startsWith('letterloom:'))

/** A filled-in `.env`. */
const VARIABLES = {
  LETTERLOOM_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PUBLIC_URL: 'https://mail.example.com',
  POSTGRES_PASSWORD: 'superuser',
  LETTERLOOM_DATABASE_PASSWORD: 'owner',
  LETTERLOOM_API_DATABASE_PASSWORD: 'api',
  LETTERLOOM_WORKER_DATABASE_PASSWORD: 'worker',
  TEMPORAL_DATABASE_PASSWORD: 'engine',
}
const SECRETS = Object.keys(VARIABLES).filter((name) => name !== 'PUBLIC_URL')

const namesOf = ({ environment = {} }: Service): string[] => Object.keys(environment)

/** Asks the reader of the environment itself what it looks for. */
function namesReadByConfig(): Set<string> {
  const names = new Set<string>()
  const environment = new Proxy<Record<string, string>>(
    {},
    { get: (_, name) => void names.add(String(name)) },
  )
  readConfig(environment)
  return names
}

describe('docker-compose.yml', () => {
  it('publishes nothing but the proxy of the API and mail submission beyond this machine', () => {
    const published = all.flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${interpolate(port, VARIABLES)}`),
    )
    expect(published).toEqual([
      'proxy 3000:3000',
      'smtp 587:2587',
      'smtp 465:2465',
      'temporal-ui 127.0.0.1:8080:8080',
      'prometheus 127.0.0.1:9090:9090',
      'grafana 127.0.0.1:3001:3000',
    ])
  })

  it('keeps Postgres and Temporal on a network without a way in or out', () => {
    for (const name of ['postgres', 'temporal', 'databases', 'temporal-schema']) {
      expect(services[name]?.networks, name).toEqual(['inside'])
    }
    expect(networks['inside']).toEqual({ internal: true })
    expect(services['temporal-ui']?.networks).not.toContain('outside')
    expect(source).not.toMatch(/network_mode|privileged|docker\.sock/)
  })

  it('names every image of others with a version and its digest', () => {
    for (const [name, { image }] of all.filter(
      ([, { image }]) => !image.startsWith('letterloom:'),
    )) {
      expect(image, name).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?@sha256:[0-9a-f]{64}$/)
      expect(image).not.toContain('auto-setup')
    }
    expect(new Set(ours.map(([, { image }]) => image))).toEqual(new Set([`letterloom:${version}`]))
  })

  it('builds our image on a Node that is maintained, and mutes no warning', () => {
    const file = text('Dockerfile')
    expect(file).toMatch(/^ARG NODE=24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m)
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(bases).toEqual(Array(bases.length).fill('node:${NODE}'))
    expect(file + source).not.toMatch(/WARNING_DISABLED|NODE_NO_WARNINGS|no-(deprecation|warnings)/)
  })

  it('runs the Temporal that run.ts builds, and its tools', () => {
    const tag = (service: string) => services[service]?.image.split('@')[0]
    expect(tag('temporal')).toBe(`temporalio/server:${SERVER_VERSION}`)
    expect(tag('temporal-schema')).toBe(`temporalio/admin-tools:${SERVER_VERSION}`)
    expect(services['databases']?.image).toBe(services['postgres']?.image)
  })

  it('gives our programs only names that the configuration reads', () => {
    const read = namesReadByConfig()
    expect(ours.map(([name]) => name).sort()).toEqual([
      'api',
      'migrate',
      'smtp',
      'temporal-namespace',
      'worker',
    ])
    for (const [name, service] of ours) {
      // Node reads its own.
      const unread = namesOf(service).filter((each) => !read.has(each) && each !== 'NODE_OPTIONS')
      const wanted =
        name === 'worker' ? /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)$/ : /^$/
      expect(
        unread.filter((each) => !wanted.test(each)),
        name,
      ).toEqual([])
    }
  })

  it('gives them values that the configuration takes', () => {
    for (const [name, login] of [
      ['api', 'api'],
      ['smtp', 'api'],
      ['worker', 'worker'],
    ] as const) {
      const config = readConfig(environmentOf(services[name]!, VARIABLES))
      expect(config).toMatchObject({
        // Each logs in as what it is; only the migrations as the owner of the tables.
        databaseUrl: `postgres://letterloom_${login}:${login}@postgres:5432/letterloom`,
        temporal: { address: 'temporal:7233', namespace: 'letterloom', apiKey: undefined },
        publicUrl: VARIABLES.PUBLIC_URL,
        host: name === 'worker' ? '127.0.0.1' : '0.0.0.0',
      })
      expect(parseKeyring(config.keys!).signing.id).toBe('k1')
    }
  })

  it('the first start gives operators’ commands the login that may run them', () => {
    const readme = text('tools/production/README.md')
    const commands = [...readme.matchAll(/^ +docker compose run --rm (\S+) (?:org|user|key) /gm)]
    expect(commands.length).toBeGreaterThan(1)
    for (const [line, name = ''] of commands) {
      const { databaseUrl } = readConfig(environmentOf(services[name]!, VARIABLES))
      // The role that src/main/commands/operator-commands.ts asks for.
      expect(databaseUrl, line).toContain('//letterloom_worker:')
    }
  })

  it('holds no secret, and says which one is missing', () => {
    for (const secret of SECRETS) {
      const uses = variablesOf(source).filter(({ name }) => name === secret)
      expect(uses.length, secret).toBeGreaterThan(0)
      expect(uses.filter(({ required }) => !required)).toEqual([])
    }
    expect(() => environmentOf(services['api']!, { ...VARIABLES, LETTERLOOM_KEYS: '' })).toThrow(
      'LETTERLOOM_KEYS is missing, see .env.example',
    )
    for (const [name, service] of all) {
      const plain = Object.entries(service.environment ?? {}).filter(
        ([key, value]) =>
          /PASSWORD|PWD|KEYS$/.test(key) && value !== null && !value.startsWith('${'),
      )
      expect(plain, name).toEqual([])
    }
  })

  it('keeps the passwords of the roles and of the superuser apart', () => {
    const seen = (name: string): string[] =>
      variablesOf(JSON.stringify(services[name]?.environment)).map((each) => each.name)
    const passwords = (name: string) => seen(name).filter((each) => each.endsWith('_PASSWORD'))
    expect(passwords('api')).toEqual(['LETTERLOOM_API_DATABASE_PASSWORD'])
    expect(passwords('worker')).toEqual(['LETTERLOOM_WORKER_DATABASE_PASSWORD'])
    expect(passwords('migrate')).toEqual(['LETTERLOOM_DATABASE_PASSWORD'])
    expect(seen('temporal')).toEqual(['TEMPORAL_DATABASE_PASSWORD'])
  })

  it('explains every variable in .env.example, and no other', () => {
    const passedOn = all.flatMap(([, { environment = {} }]) =>
      Object.keys(environment).filter((name) => environment[name] === null),
    )
    const used = new Set([...variablesOf(source).map(({ name }) => name), ...passedOn])
    const explained = [...text('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(new Set(explained)).toEqual(used)
  })

  it('waits for what exists, in a way that can come true', () => {
    const waits = all.flatMap(([name, { depends_on: dependencies = {} }]) =>
      Object.entries(dependencies).map(([other, { condition }]) => ({ name, other, condition })),
    )
    const comesTrue = ({ other, condition }: (typeof waits)[number]): boolean =>
      condition === 'service_healthy'
        ? services[other]?.healthcheck !== undefined
        : condition === 'service_completed_successfully' && services[other]?.restart === 'no'
    expect(waits.length).toBeGreaterThan(5)
    expect(waits.filter((each) => !comesTrue(each))).toEqual([])
  })

  it('mounts and copies only files that are there', () => {
    const mounted = all.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(':')))
    for (const [from = '', , mode] of mounted.filter(([from]) => from?.startsWith('./'))) {
      expect(existsSync(new URL(from, ROOT)), from).toBe(true)
      expect(mode, from).toBe('ro')
    }
    const used = [...source.matchAll(/(?:\/setup|\/letterloom)\/([\w.-]+)$/gm)].map(([, at]) => at)
    expect(used.length).toBeGreaterThanOrEqual(3)
    for (const file of used)
      expect(existsSync(new URL(`tools/production/${file}`, ROOT))).toBe(true)

    // As psql resolves them, from the folder of the script.
    const mounts = services['databases']?.volumes?.map((each) => each.split(':')[1])
    for (const [, path = ''] of text('tools/production/databases.sql').matchAll(/^\\ir (.+)$/gm)) {
      expect(mounts).toContain(new URL(`file:///setup/${path}`).pathname.replace(/\/[^/]+$/, ''))
      expect(existsSync(new URL(`tools/production/${path}`, ROOT))).toBe(true)
    }

    const letThrough = text('.dockerignore').split('\n')
    for (const [, files = ''] of text('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const file of files.split(' ')) {
        expect(existsSync(new URL(file, ROOT)), file).toBe(true)
        expect(letThrough).toContain(`!${file}`)
      }
    }
  })

  it('lets Temporal read its queues quickly and fairly', () => {
    const settings = [
      ...text('tools/production/temporal-dynamic-config.yaml').matchAll(
        /^([\w.]+):\n {2}- value: (\S+)$/gm,
      ),
    ].map(([, name, value]) => [name, value])
    expect(Object.fromEntries(settings)).toMatchObject({
      'history.transferProcessorMaxPollRPS': '2000',
      'history.timerProcessorMaxPollRPS': '2000',
      'history.visibilityProcessorMaxPollRPS': '2000',
      'matching.enableFairness': 'true',
      'system.enableActivityEagerExecution': 'true',
    })
  })

  const compose: string = 'docker-compose'
  const installed = spawnSync(compose, ['version']).status === 0
  it.skipIf(!installed)('is taken by Compose, where there is one', () => {
    const options = {
      cwd: fileURLToPath(ROOT),
      env: { PATH: process.env['PATH'], ...VARIABLES },
      encoding: 'utf8',
    } as const
    const profiles = ['--profile', 'smtp', '--profile', 'monitoring']
    const listed = execFileSync(compose, [...profiles, 'config', '--services'], options)
    expect(listed.trim().split('\n').sort()).toEqual(Object.keys(services).sort())
    const { status, stderr } = spawnSync(compose, ['config', '--quiet'], {
      ...options,
      env: { ...options.env, LETTERLOOM_KEYS: '' },
    })
    expect(status).not.toBe(0)
    expect(stderr).toContain('is missing, see .env.example')
  })
})
