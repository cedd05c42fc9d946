interface Limits {
  waitMs: number
  most: number
}

/**
 * Collects the items of concurrent requests and processes them in sets: one statement instead of
 * two hundred. Each caller gets its own item's result. If a set fails, all its callers get the
 * error.
 */
export function coalesce<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { waitMs, most }: Limits,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item
    resolve: (result: Result) => void
    reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const set = waiting
    waiting = []
    work(set.map(({ item }) => item)).then(
      (results) => {
        for (const [i, { resolve, reject }] of set.entries()) {
          const result = results[i]
          if (result === undefined) reject(new Error('a set was answered with too few results'))
          else resolve(result)
        }
      },
      (error: unknown) => {
        for (const { reject } of set) reject(error)
      },
    )
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length >= most) flush()
      else timer ??= setTimeout(flush, waitMs)
    })
}
