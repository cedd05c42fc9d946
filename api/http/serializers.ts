import {
  SerializerSelector,
  type Serializer,
  type SerializerFactory,
} from '@fastify/fast-json-stringify-compiler'
import { isObject } from './schema.ts'

/** By schema: every route answers the same errors, and there may be several apps in a process. */
const compiled = new WeakMap<object, Serializer>()

/**
 * Fastify's own compiler of answers, but each schema is compiled once: it is the dearest part of a
 * start. No schema refers to another one, and all apps have the same options.
 */
export const buildSerializers: SerializerFactory = (externalSchemas, options) => {
  const compile = SerializerSelector()(externalSchemas, options)
  return (route) => {
    const { schema } = route
    if (!isObject(schema)) return compile(route)
    const known = compiled.get(schema)
    if (known) return known
    const made = compile(route)
    compiled.set(schema, made)
    return made
  }
}
