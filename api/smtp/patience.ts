import type { SMTPServer } from 'smtp-server'

const LOOK_EVERY_MS = 1_000

/**
 * Limits the time of each step of a connection, whatever it sends meanwhile. The server itself
 * limits silence only, which a byte a minute avoids.
 */
export function createPatience(servers: () => readonly SMTPServer[]) {
  const deadlines = new Map<string, number>()
  const timer = setInterval(() => closeSlow(performance.now()), LOOK_EVERY_MS).unref()

  function closeSlow(now: number): void {
    for (const server of servers()) {
      for (const connection of server.connections) {
        if (now < (deadlines.get(connection.id) ?? Number.POSITIVE_INFINITY)) continue
        deadlines.delete(connection.id)
        connection.send(421, 'Too slow: connect again')
        connection.close()
      }
    }
  }

  return {
    /** Starts the time limit of a new connection's first step. */
    begin: (id: string, ms: number): void => void deadlines.set(id, performance.now() + ms),
    /** Starts the time limit of a connection's next step, unless the connection is gone. */
    give: (id: string, ms: number): void => {
      if (deadlines.has(id)) deadlines.set(id, performance.now() + ms)
    },
    suspend: (id: string): void => {
      if (deadlines.has(id)) deadlines.set(id, Number.POSITIVE_INFINITY)
    },
    forget: (id: string): void => void deadlines.delete(id),
    stop: (): void => clearInterval(timer),
  }
}
