import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'

/** Every row of every table as text after its table's name, with bytes in hexadecimal. */
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

/** Rows that contain one of `words`, as text or as bytes. */
export const speakingOf = (rows: readonly string[], words: readonly string[]): string[] => {
  const patterns = words.flatMap((word) => [
    word.toLowerCase(),
    Buffer.from(word).toString('hex').toLowerCase(),
  ])
  return rows.filter((row) => {
    const lower = row.toLowerCase()
    return patterns.some((word) => lower.includes(word))
  })
}

let people = 0
/** A person whose words occur nowhere else. */
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
