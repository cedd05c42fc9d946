import type postgres from 'postgres'
import { createQueue } from './fifo.ts'
import {
  type Client,
  connectionLost,
  type PooledConnection,
  type Query,
  run,
} from './connection.ts'

type Work = (tx: unknown) => unknown

/** What was refused inside a transaction or savepoint: nothing of it is kept, caught or not. */
interface Scope {
  refused: { error: unknown } | undefined
}

/**
 * Runs `work` in a transaction of one connection. The driver's own goes on writing to a
 * connection that was closed, which ends the process. Statements run one after the other, however
 * many are asked for at once, and none before `opening` has been answered.
 */
export async function runTransaction(
  connection: PooledConnection,
  opening: string,
  work: Work,
): Promise<unknown> {
  const { client } = connection
  const waiting = createQueue<() => void>()
  let isRunning = false
  let isOver = false
  let savepoints = 0

  try {
    await control(opening)
    const result = await within({ refused: undefined }, work)
    const { command } = await control('commit')
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
    return result
  } catch (error) {
    if (isUsable()) await control('rollback').catch(() => {})
    throw error
  } finally {
    isOver = true
  }

  async function within(scope: Scope, act: Work): Promise<unknown> {
    const result = await act(handle(scope))
    if (scope.refused) throw scope.refused.error
    return result
  }

  function handle(scope: Scope): unknown {
    return makeHandle(client, (made) => route(made, scope), {
      savepoint: async (act: Work) => {
        const name = `s${++savepoints}`
        await control(`savepoint ${name}`)
        try {
          const result = await within({ refused: undefined }, act)
          await control(`release savepoint ${name}`)
          return result
        } catch (error) {
          if (isUsable()) await control(`rollback to savepoint ${name}`)
          throw error
        }
      },
    })
  }

  function route(made: unknown, scope: Scope): unknown {
    const query = made as Query
    const { reject } = query
    query.reject = (error) => {
      scope.refused ??= { error }
      reject(error)
    }
    query.handler = () => submit(query)
    return made
  }

  function control(text: string): ReturnType<Client['unsafe']> {
    return route(client.unsafe(text), { refused: undefined }) as ReturnType<Client['unsafe']>
  }

  function submit(query: Query): void {
    const start = (): void => {
      isRunning = true
      if (isUsable()) return run(connection, query, next)
      next()
      query.reject(connectionLost())
    }
    if (isRunning) waiting.push(start)
    else start()
  }

  function next(): void {
    isRunning = false
    waiting.shift()?.()
  }

  function isUsable(): boolean {
    return !isOver && connection.isOpen && connection.client === client
  }
}

/** The driver's interface, its queries going where `route` sends them. */
export function makeHandle(
  client: Client,
  route: (made: unknown) => unknown,
  more: object,
): Client {
  const make = client as unknown as (...given: unknown[]) => unknown
  const sql = (given: unknown, ...values: unknown[]): unknown => {
    const made = make(given, ...values)
    return isTemplate(given) ? route(made) : made
  }
  return Object.assign(sql, {
    json: (value: postgres.JSONValue) => client.json(value),
    unsafe: (...given: Parameters<Client['unsafe']>) => route(client.unsafe(...given)),
    ...more,
  }) as unknown as Client
}

const isTemplate = (given: unknown): boolean => Array.isArray(given) && 'raw' in given
