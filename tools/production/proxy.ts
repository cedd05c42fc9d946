import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Child, type Log, startChild } from '../../src/main/dev/children.ts'

const HAPROXY = 'haproxy'
const CONFIG = new URL('proxy/haproxy.cfg', import.meta.url)

export const hasProxy = spawnSync(HAPROXY, ['-v']).status === 0

/** Ports of an API process of this machine. */
export interface ApiPorts {
  api: number
  internal: number
}

interface Options {
  folder: string
  port: number
  apis: readonly ApiPorts[]
  log: Log
}

/** Starts the proxy of docker-compose.yml in front of API processes of this machine. */
export async function startProxy({ folder, port, apis, log }: Options): Promise<Child> {
  const path = join(folder, 'haproxy.cfg')
  await writeFile(path, localConfig(await readFile(CONFIG, 'utf8'), port, apis))
  return startChild({
    command: HAPROXY,
    args: ['-db', '-f', path],
    farewell: { signal: 'SIGUSR1', graceMs: 5_000 },
    log,
  })
}

/** Puts addresses of this machine in the place of Docker's names. */
function localConfig(text: string, port: number, apis: readonly ApiPorts[]): string {
  const servers = (_line: string, indent: string, name: string, options: string): string =>
    apis
      .map(({ api, internal }, n) => {
        const own = options.replace('port 9464', `port ${internal}`)
        return `${indent}server ${name}${n} 127.0.0.1:${api} ${own}`
      })
      .join('\n')
  const config = text
    .replace(/^resolvers docker\n(?: .*\n)*/m, '')
    .replaceAll(
      /^( *)server-template (\w+) 8 api:3000 resolvers docker init-addr none (.*)$/gm,
      servers,
    )
    .replace('bind :3000', `bind 127.0.0.1:${port}`)
  if (/docker|:3000|9464/.test(config)) throw new Error(`${CONFIG.pathname} has changed`)
  return config
}
