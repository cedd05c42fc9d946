import {
  SerializerSelector,
  type Serializer,
  type SerializerFactory,
} from '@fastify/fast-json-stringify-compiler'
import { isObject } from './schema.ts'

/**
 * Serializers by schema. Every route answers the same errors, and a process may have several apps.
 */
const compiled = new WeakMap<object, Serializer>()

/**
 * Fastify's own compiler of answers, with each schema compiled once, since it is the slowest part
 * of a start. No schema refers to another one, and all apps have the same options.
 */
export const buildSerializers: SerializerFactory = (externalSchemas, options) => {
  const compile = SerializerSelector()(externalSchemas, options)
  return (route) => {
    const { schema } = route
    if (!isObject(schema)) return compile(route)
    const cachedSerializer = compiled.get(schema)
    if (cachedSerializer) return cachedSerializer
    const serializer = compile(route)
    compiled.set(schema, serializer)
    return serializer
  }
}
