/**
 * Reads and writes one-dimensional arrays of Postgres.
 *
 * The driver would query each new connection for the types of arrays. If the connection breaks at
 * this moment, nobody catches the error of that query and the process ends. So the arrays in use
 * are listed in `sql.ts`.
 */

/** `["a", null]` → `{"a",null}`. */
export function writeArray(values: unknown): string {
  // An array that was written already, such as a parameter of an explained query.
  if (!Array.isArray(values)) return String(values)
  const items = values.map((value: string | number | boolean | null | undefined) =>
    value === null || value === undefined ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${items.join(',')}}`
}

const ITEM = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs

export const readArray =
  <T>(read: (text: string) => T) =>
  (text: string): (T | null)[] =>
    Array.from(text.matchAll(ITEM), ([, quoted, plain]) => {
      if (quoted !== undefined) return read(quoted.replace(/\\(.)/gs, '$1'))
      return plain === 'NULL' || plain === undefined ? null : read(plain)
    })
