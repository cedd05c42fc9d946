import type { Socket } from 'node:net'
import { Client } from 'undici'
import { FetchError } from './fetch-error.ts'
import type { Target } from './target.ts'

const HEADER_BYTES = 16_384
/** Period for which a connection may be used after its address was checked. */
const CHECKED_MS = 60_000
/** An idle connection is closed after this, or earlier if the receiver says so. */
const IDLE_MS = 4_000
const MOST_IDLE_MS = 10_000
/** Idle connections of one place, and of all places together. */
const MOST_OF_PLACE = 10
const MOST_KEPT = 1_000

/** A connection whose address was checked, for one request after the other. */
export interface Connection {
  client: Client
  openedAt: number
  isOpen: () => boolean
  /** While nothing is under way, it does not keep the process from ending. */
  setIdle: (isIdle: boolean) => void
  close: () => void
}

/** Returns the connection of a socket that is open. If it is lost there is no other. */
export function connectionOf(socket: Socket, { url }: Target): Connection {
  let isUsed = false
  const client = new Client(url.origin, {
    connect: (_, callback) => {
      const again = isUsed
      isUsed = true
      // Deferred, since undici does not notice it before this returns.
      setImmediate(() =>
        again ? callback(new FetchError('connection_lost'), null) : callback(null, socket),
      )
    },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MOST_IDLE_MS,
    maxHeaderSize: HEADER_BYTES,
  })
  return {
    client,
    openedAt: performance.now(),
    isOpen: () => !socket.destroyed && socket.writable && !client.destroyed,
    setIdle: (isIdle) => void (isIdle ? socket.unref() : socket.ref()),
    close: () => {
      client.destroy().catch(() => {})
      socket.destroy()
    },
  }
}

/** Idle connections by the place that they may be used for. */
export function createKeptConnections() {
  const byPlace = new Map<string, Connection[]>()
  let count = 0

  const isUsable = (connection: Connection): boolean =>
    connection.isOpen() && performance.now() - connection.openedAt < CHECKED_MS

  const sweep = (): void => {
    for (const [place, connections] of byPlace) {
      const usable = connections.filter(isUsable)
      for (const connection of connections) if (!usable.includes(connection)) connection.close()
      count -= connections.length - usable.length
      if (usable.length === 0) byPlace.delete(place)
      else byPlace.set(place, usable)
    }
  }

  const keep = (place: string, connection: Connection): void => {
    if (count >= MOST_KEPT) sweep()
    const connections = byPlace.get(place) ?? []
    if (count >= MOST_KEPT || connections.length >= MOST_OF_PLACE || !isUsable(connection)) {
      connection.close()
      return
    }
    connection.setIdle(true)
    byPlace.set(place, [...connections, connection])
    count++
  }

  return {
    take(place: string): Connection | undefined {
      const connections = byPlace.get(place) ?? []
      for (;;) {
        const connection = connections.pop()
        if (connections.length === 0) byPlace.delete(place)
        if (!connection) return undefined
        count--
        if (isUsable(connection)) {
          connection.setIdle(false)
          return connection
        }
        connection.close()
      }
    },

    /** Runs one exchange. The connection is kept if the whole answer was read. */
    async use<Answer extends { isCut: boolean }>(
      place: string,
      connection: Connection,
      exchange: () => Promise<Answer>,
    ): Promise<Answer> {
      let isWhole = false
      try {
        const answer = await exchange()
        isWhole = !answer.isCut
        return answer
      } finally {
        if (isWhole) keep(place, connection)
        else connection.close()
      }
    },
  }
}
