import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BatchInput } from '../../src/schemas/batches/batch.ts'
import { type Answer, type Api, connectAccount, inject, startApi } from '../support/api.ts'
import type { Schema } from '../support/arbitrary.ts'
import {
  bodySchema,
  type Document,
  inlined,
  type Media,
  type Operation,
  operationsOf,
} from '../support/document.ts'
import { sampleOf, variantsOf } from '../support/variants.ts'

let api: Api
let operations: Operation[]
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  const document: Document = (await inject(api.app, { url: '/openapi.json' })).body
  operations = operationsOf(inlined(document))
})
afterAll(() => api.close())

describe('input that is not available yet', () => {
  const isNotYet = ({ body }: Answer): boolean =>
    body.reason === 'not_supported_yet' ||
    [body.error, ...(body.details ?? []).map(({ message }: { message: string }) => message)].some(
      (text) => /is not available yet|cannot be \S+ yet|no SMS transport/.test(String(text)),
    )

  interface Found {
    refused: string[]
    /** What this test made wrongly: it was not tried. */
    malformed: string[]
  }

  /** Sends an example with each thing that it could have besides. */
  async function tryOut(path: string, schema: Schema, example: unknown): Promise<Found> {
    const found: Found = { refused: [], malformed: [] }
    const sent = new Set<string>()
    for (const { place, value } of variantsOf(schema, example)) {
      const text = JSON.stringify(value)
      if (sent.has(text)) continue
      sent.add(text)
      const answer = await api.alice.post(path, value)
      if (isNotYet(answer)) found.refused.push(place)
      if (answer.status === 422) found.malformed.push(`${place}: ${answer.body.error}`)
    }
    return found
  }

  const exampleOf = (media: Media | undefined, schema: Schema): unknown =>
    media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? sampleOf(schema)

  test('is found', async () => {
    const refusedOf = async (path: string, given: object) => {
      const schema: Schema = JSON.parse(JSON.stringify(given))
      return (await tryOut(path, schema, sampleOf(schema))).refused
    }
    expect(await refusedOf('/v1/batch', BatchInput)).toEqual(['channel=sms'])
  })

  test('is in no documented body', async () => {
    const wrong: string[] = []
    const malformed: string[] = []
    let tried = 0
    const creating = operations.filter(({ method, path }) => method === 'post' && !/\{/.test(path))
    for (const operation of creating) {
      const schema = bodySchema(operation)
      if (!schema || !operation.path.startsWith('/v1/')) continue
      const example = exampleOf(operation.requestBody?.content['application/json'], schema)
      const found = await tryOut(operation.path, schema, example)
      wrong.push(...found.refused.map((place) => `${operation.name}: ${place}`))
      malformed.push(...found.malformed.map((place) => `${operation.name}: ${place}`))
      tried++
    }
    expect(tried).toBeGreaterThan(8)
    expect(wrong).toEqual([])
    expect(malformed).toEqual([])
  })

  test('is in no documented query', async () => {
    const wrong: string[] = []
    const lists = operations.filter(({ name }) => /^GET \/v1\/[^{]*$/.test(name))
    for (const { path, parameters } of lists) {
      for (const { name, in: place, schema } of parameters) {
        if (place !== 'query') continue
        const { enum: words = [sampleOf(schema)] }: Schema = schema
        for (const word of words) {
          const url = `${path}?${name}=${encodeURIComponent(String(word))}`
          if (isNotYet(await api.alice.get(url))) wrong.push(url)
        }
      }
    }
    expect(lists.length).toBeGreaterThan(8)
    expect(wrong).toEqual([])
  })
})
