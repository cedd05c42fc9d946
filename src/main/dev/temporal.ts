import { join, resolve } from 'node:path'
import { type Log, startChild } from './children.ts'
import { claimFolder } from './claim.ts'
import { connectWhenReady } from './grpc-ready.ts'
import type { Farewell } from './guard.ts'
import { requireFree } from './ports.ts'
import { registerSearchAttributes } from '../programs/search-attributes.ts'

export { findTemporal } from './temporal-programs.ts'

interface TemporalOptions {
  binary: string
  folder: string
  port: number
  /** Absent: no UI. */
  uiPort?: number | undefined
  namespace: string
  /** Types by name, such as `Keyword`. */
  searchAttributes: Readonly<Record<string, string>>
  log: Log
}

interface RunningTemporal {
  address: string
  uiUrl: string | undefined
  /** Process of the server itself, for tests that watch it from outside. */
  pid: number
  stop: () => Promise<void>
}

const FAREWELL: Farewell = { signal: 'SIGTERM', graceMs: 15_000 }

/**
 * Three of these: the only shard of the dev server reads its queues at most 20 times a second
 * unless told otherwise, and every step of every workflow would wait 42 ms. It also reads search
 * attributes from its database at every use, which is a third of all it asks there.
 */
const DYNAMIC_CONFIG = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.visibilityProcessorMaxPollRPS': 2000,
  'matching.enableFairness': true,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
  'frontend.enableServerVersionCheck': false, // it calls home
}

/** Settings with which a kill -9 loses nothing, and a power cut perhaps the last moment. */
const SQLITE = { journal_mode: 'WAL', synchronous: 'NORMAL' }

/**
 * Starts Temporal's development server on 127.0.0.1 with its state in a file, so that a restart
 * continues. Resolves when it answers and knows all search attributes.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { binary, port, uiPort, namespace, searchAttributes, log } = options
  const folder = resolve(options.folder)
  const claim = await claimFolder(folder, FAREWELL)
  try {
    for (const each of [port, uiPort]) if (each !== undefined) await requireFree(each)
    const child = await startChild({
      command: binary,
      args: argumentsOf(options, folder),
      farewell: FAREWELL,
      log,
      // Nothing of the developer's own: TEMPORAL_* and OTEL_* would change what it does.
      env: { HOME: folder },
    })
    try {
      await claim.note(child.pid)
      const connection = await connectWhenReady(child, port, 'The Temporal server')
      await registerSearchAttributes(connection, namespace, searchAttributes)
      await connection.close()
    } catch (error) {
      await child.stop()
      throw error
    }
    return {
      address: `127.0.0.1:${port}`,
      uiUrl: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`,
      pid: child.pid,
      stop: async () => {
        await child.stop()
        await claim.release()
      },
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

function argumentsOf(options: TemporalOptions, folder: string): string[] {
  const { port, uiPort, namespace, searchAttributes } = options
  const pairs = (flag: string, values: object): string[] =>
    Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${String(value)}`])
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--namespace=${namespace}`,
    uiPort === undefined ? '--headless' : `--ui-port=${uiPort}`,
    '--ui-disable-news-fetch',
    // Warnings come by the dozen at each start and stop, and say that a service is not there.
    '--log-level=error',
    '--log-format=text',
    `--db-filename=${join(folder, 'temporal.db')}`,
    ...pairs('--sqlite-pragma', SQLITE),
    ...pairs('--dynamic-config-value', DYNAMIC_CONFIG),
    ...pairs('--search-attribute', searchAttributes),
  ]
}
