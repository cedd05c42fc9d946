import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'

/** Every row of every table as text, with its table's name in front; bytes as hexadecimal. */
export async function dumpRows(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`
  const rows = await Promise.all(
    tables.map(
      async ({ name }) =>
        await sql<{ text: string }[]>`
          select ${name} || ' ' || t::text as text from ${sql(name)} as t`,
    ),
  )
  return rows.flat().map(({ text }) => text)
}

/** Those of `rows` that hold one of `words`, as text or as the bytes of it. */
export const speakingOf = (rows: readonly string[], words: readonly string[]): string[] => {
  const wanted = words.flatMap((word) => [
    word.toLowerCase(),
    Buffer.from(word).toString('hex').toLowerCase(),
  ])
  return rows.filter((row) => {
    const lower = row.toLowerCase()
    return wanted.some((word) => lower.includes(word))
  })
}

let people = 0
/** A person none of whose words occurs anywhere else. */
export function stranger() {
  const mark = `z${uuidv7().slice(-12)}`
  const input = {
    email: `${mark}@erased.example`,
    phone: `+49151${String(10_000_000 + ++people)}`,
    externalId: `ext-${mark}`,
    firstName: `Zoe-${mark}`,
    lastName: `Zimmer-${mark}`,
    company: `Zinc-${mark}`,
    jobTitle: `Zoologist-${mark}`,
    properties: { note: `likes-${mark}` },
  }
  return { mark, input, words: [mark, input.phone] }
}
