import type { Transaction } from './sql.ts'

export async function rolledBack<T>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const undo = new Error('rolled back on purpose')
  let done: { value: T } | undefined
  try {
    await tx.savepoint(async (inner) => {
      done = { value: await work(inner) }
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  if (!done) throw new Error('a savepoint that was rolled back had a value')
  return done.value
}
