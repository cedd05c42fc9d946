import { connectionLost, type Session } from './session.ts'
import { type Answer, type Executor, executor, type Query } from './statement.ts'

export interface Transaction extends Executor {
  savepoint<T>(work: Work<T>): Promise<T>
}
export type Work<T> = (tx: Transaction) => PromiseLike<T> | T

/**
 * Runs `work` in a transaction. The driver's own would go on writing to a closed connection, which
 * ends the process. Statements run one after the other, however many are started at once. If one of
 * them fails, everything is rolled back, whether the error was caught or not.
 */
export async function runTransaction<T>(
  session: Session,
  opening: string,
  work: Work<T>,
): Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  let savepoints = 0

  try {
    await control(opening)
    const result = await within(work)
    const { command } = await control('commit')
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
    return result
  } catch (error) {
    if (!session.isLost) await control('rollback').catch(() => {})
    throw error
  } finally {
    isOver = true
  }

  async function within<R>(act: Work<R>): Promise<R> {
    let refused: { error: unknown } | undefined
    const run = async (query: Query): Promise<Answer> => {
      try {
        return await ask(query)
      } catch (error) {
        refused ??= { error }
        throw error
      }
    }
    const result = await act(executor(run, { savepoint }))
    if (refused) throw refused.error
    return result
  }

  async function savepoint<R>(act: Work<R>): Promise<R> {
    const name = `s${++savepoints}`
    await control(`savepoint ${name}`)
    try {
      const result = await within(act)
      await control(`release savepoint ${name}`)
      return result
    } catch (error) {
      if (!session.isLost) await control(`rollback to savepoint ${name}`)
      throw error
    }
  }

  function control(text: string): Promise<Answer> {
    return ask({ text, values: [], isPrepared: false })
  }

  function ask(query: Query): Promise<Answer> {
    const answer = last.then(() => {
      if (isOver) throw connectionLost()
      return session.ask(query)
    })
    last = answer.catch(() => {})
    return answer
  }
}
