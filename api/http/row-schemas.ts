import { ROW_ERRORS } from '../../src/schemas/common.ts'
import { isObject } from './schema.ts'

// What the schema of a body says of a list whose rows are checked each by itself.

/** Returns the name of that list; undefined: the body has none. */
export function rowListOf(body: unknown): string | undefined {
  if (!isObject(body) || !isObject(body['properties'])) return undefined
  return Object.entries(body['properties']).find(([, each]) => isRowList(each))?.[0]
}

/** Returns the schema of the body as a whole, in which rows may be anything. */
export function bodyWithoutRows(body: object): object {
  if (isRowList(body)) return withoutRows(body)
  const name = rowListOf(body)
  if (name === undefined || !isObject(body) || !isObject(body['properties'])) return body
  const list = withoutRows(body['properties'][name])
  return { ...body, properties: { ...body['properties'], [name]: list } }
}

function withoutRows(list: unknown): object {
  const { items: _rows, [ROW_ERRORS]: _told, ...rest } = Object(list)
  return rest
}

const isRowList = (schema: unknown): boolean => isObject(schema) && ROW_ERRORS in schema
