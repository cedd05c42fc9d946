import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import type { Child } from './children.ts'

const READY_MS = 60_000
const PASS_MS = 25

/**
 * Waits until a Temporal server answers (GetSystemInfo), and returns the connection. Throws the
 * server's last lines if it ends instead.
 */
export async function connectWhenReady(
  child: Child,
  port: number,
  name: string,
): Promise<Connection> {
  const late = new AbortController()
  const exitError = child.exited.then(({ code, signal }) => {
    throw new Error(`${name} ended (${signal ?? code}) before it was ready:\n${child.lastLines()}`)
  })
  const timeout = sleep(READY_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${name} was not ready after ${READY_MS / 1_000} s:\n${child.lastLines()}`)
  })
  timeout.catch(() => {}) // called off
  exitError.catch(() => {}) // as it should, later
  try {
    return await Promise.race([open(port, late.signal), exitError, timeout])
  } finally {
    late.abort()
  }
}

async function open(port: number, signal: AbortSignal): Promise<Connection> {
  // gRPC waits a second after a refused connection: knock by hand until somebody opens.
  while (!(await isOpen(port))) await sleep(PASS_MS, undefined, { signal })
  return Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: READY_MS })
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
