import postgres from 'postgres'

export type Json = postgres.JSONValue
/** Rows, the number of read or changed rows, and the first word of the statement. */
export type Answer<T = postgres.Row[]> = T & { readonly count: number; readonly command: string }
/** A statement that runs once, when it is awaited. Within another one it becomes a part of it. */
export interface Pending<T = unknown> extends Promise<Answer<T>> {}
/** Values for `${…}` in a statement. Parts of a list are joined with blanks. */
type Value = string | number | boolean | null | Uint8Array | Pending | readonly Value[]

type Row = Readonly<Record<string, unknown>>

export interface Executor {
  <T extends readonly (object | undefined)[] = postgres.Row[]>(
    text: TemplateStringsArray,
    ...values: readonly Value[]
  ): Pending<T>
  /** A column or table name in camelCase, or rows to insert with their columns and values. */
  (value: string | Row | readonly Row[]): Pending
  json(value: object | string | number | boolean | null): Pending
  /** Runs a rarely repeated statement without a stored plan. */
  once<T extends readonly (object | undefined)[] = postgres.Row[]>(
    statement: Pending<T>,
  ): Pending<T>
  /** Any text, with values as `$1`, `$2` and so on. Without values it may be several statements. */
  unsafe<T extends readonly (object | undefined)[] = postgres.Row[]>(
    text: string,
    values?: readonly Value[],
  ): Pending<T>
}

export interface Query {
  text: string
  values: unknown[]
  isPrepared: boolean
}
export type Run = (query: Query) => Promise<Answer>

class Statement implements Promise<Answer> {
  readonly [Symbol.toStringTag] = 'Statement'
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  readonly #ask: (statement: Statement) => Promise<Answer>
  #answer: Promise<Answer> | undefined

  constructor(
    strings: readonly string[],
    values: readonly unknown[],
    ask: (statement: Statement) => Promise<Answer> = neverAsk,
  ) {
    this.strings = strings
    this.values = values
    this.#ask = ask
  }

  // oxlint-disable-next-line unicorn/no-thenable
  then<A = Answer, B = never>(
    use?: ((answer: Answer) => A | PromiseLike<A>) | null,
    refuse?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#answer ??= this.#ask(this)
    return this.#answer.then(use, refuse)
  }

  catch<B = never>(refuse?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Answer | B> {
    return this.then(undefined, refuse)
  }

  finally(act?: (() => void) | null): Promise<Answer> {
    return this.then().finally(act)
  }
}

const neverAsk = async (): Promise<Answer> => {
  throw new TypeError('this is a part of statements, and no statement')
}

export function executor<More extends object>(run: Run, more: More): Executor & More {
  const ask = (statement: Statement): Promise<Answer> => {
    const values: unknown[] = []
    return run({ text: write(statement, values), values, isPrepared: true })
  }
  const sql = (
    firstArgument: TemplateStringsArray | string | object,
    ...values: unknown[]
  ): Statement => {
    if (typeof firstArgument === 'string') return new Statement([nameOf(firstArgument)], [])
    if (!Array.isArray(firstArgument)) return rowsOf([firstArgument])
    return 'raw' in firstArgument
      ? new Statement(firstArgument, values, ask)
      : rowsOf(firstArgument)
  }
  return Object.assign(sql, {
    json: (value: Json) =>
      new Statement(['', '::jsonb'], [value === null ? null : JSON.stringify(value)]),
    once: (statement: Statement) =>
      new Statement([], [], () => {
        const values: unknown[] = []
        return run({ text: write(statement, values), values, isPrepared: false })
      }),
    unsafe: (text: string, values: unknown[] = []) =>
      new Statement([], [], () => run({ text, values, isPrepared: false })),
    ...more,
  }) as unknown as Executor & More
}

function write({ strings, values: given }: Statement, values: unknown[]): string {
  let text = strings[0] ?? ''
  for (let i = 0; i < given.length; i++) text += writeValue(given[i], values) + strings[i + 1]
  return text
}

function writeValue(value: unknown, values: unknown[]): string {
  if (value instanceof Statement) return write(value, values)
  if (Array.isArray(value) && value[0] instanceof Statement) {
    return value.map((part) => writeValue(part, values)).join(' ')
  }
  return `$${values.push(value)}`
}

/** `firstName` → `first_name`. */
export const columnName = (field: string): string => postgres.fromCamel(field)

/** `contacts.firstName` → `"contacts"."first_name"`. */
const nameOf = (name: string): string =>
  `"${columnName(name).replaceAll('"', '""').replaceAll('.', '"."')}"`

function rowsOf(rows: readonly object[]): Statement {
  const names = Object.keys(rows[0] ?? {})
  const opening = `(${names.map(nameOf).join(', ')}) values (`
  const values = rows.flatMap((row) => names.map((name): unknown => Reflect.get(row, name)))
  const before = values.map((_, i) => (i % names.length > 0 ? ', ' : i > 0 ? '), (' : opening))
  return new Statement([...before, ')'], values)
}
