import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/dev/ports.ts'
import { temporalConnection } from '../../src/main/required.ts'

/** Left alone, gRPC would try 9 and then 16 seconds after the first time. */
const AWAY_MS = 10_000
const RECONNECT_MS = 4_000

test('a Temporal that was away is tried again within seconds, however long it was', async () => {
  const port = await freePort()
  const config = readConfig({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` })
  const connection = Connection.lazy(temporalConnection(config))
  const server = createServer((socket) => socket.destroy())
  try {
    const began = Date.now()
    while (Date.now() - began < AWAY_MS) {
      await connection
        .withDeadline(Date.now() + 500, () => connection.workflowService.getSystemInfo({}))
        .catch(() => {})
      await sleep(100)
    }
    const met = once(server, 'connection')
    server.listen(port, '127.0.0.1')
    const isMet = await Promise.race([met.then(() => true), sleep(RECONNECT_MS).then(() => false)])
    expect(isMet).toBe(true)
  } finally {
    server.close()
    await connection.close()
  }
}, 30_000)
