import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Answer, type Api, inject, startApi } from './api.ts'
import { documentOf, inlined, type Operation, operationsOf } from './document.ts'
import { floorMs, type Hold, holdOf } from './holds.ts'
import { idOf, type Place, PLACES, rightCredential } from './matrix.ts'

/** Limit of a refusal: a hundred details, each with its path and its message. */
const LONGEST_REFUSAL = 128 * 1024

/** An operation with everything that a request needs to reach the check of its body. */
export interface Target {
  operation: Operation
  place: Place
  url: string
  authorization: string
  bodyLimit: number
}

/** An API without rate limits, and the cost of its requests. */
export interface Watched {
  api: Api
  operations: readonly Operation[]
  targetOf: (operation: Operation) => Promise<Target>
  /** Sends `payload` and records how long it blocked the event loop. Fails on a 429 or a 5xx. */
  hold: (name: string, target: Target, payload: string) => Promise<Answer>
  /** Does the same for any request. `bytes` are parsed for comparison. */
  holdRequest: (name: string, bytes: string, request: () => InjectOptions) => Promise<Answer>
  /** Requests since the last call that blocked for too long. */
  tooLong: () => string[]
  close: () => Promise<void>
}

export async function watchedApi(): Promise<Watched> {
  const api = await startApi()
  const floor = floorMs()
  const holds: Hold[] = []
  for (const { organizationId } of [api.alice, api.charlie]) {
    await api.sql`
      insert into plan_overrides (organization_id, requests_per_minute, requests_per_day)
      values (${organizationId}, 1000000000, 1000000000)`
  }

  async function watch(name: string, bytes: string, send: () => Promise<Answer>): Promise<Answer> {
    const answers: Answer[] = []
    const request = async (): Promise<void> => void answers.push(await send())
    holds.push(await holdOf(name, bytes, floor, request))
    const answer = answers.at(-1)
    if (!answer) throw new Error('a request is answered')
    const summary = `${name}: ${answer.status} ${answer.text.slice(0, 300)}`
    expect(answer.status, summary).toBeLessThan(500)
    expect(answer.status, summary).not.toBe(429)
    if (answer.status >= 400) expect(answer.text.length, summary).toBeLessThan(LONGEST_REFUSAL)
    return answer
  }

  async function targetOf(operation: Operation): Promise<Target> {
    const place = PLACES[operation.operationId ?? '']
    if (!place) throw new Error(`${operation.name} has no place in test/support/matrix.ts`)
    const id = place.id === undefined ? '' : await idOf(api, place.id, 'own')
    const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(id))
    const url = place.query === undefined ? path : `${path}?${place.query}`
    const authorization = await rightCredential(api, api.alice, place)
    const target = { operation, place, url, authorization, bodyLimit: 0 }
    const tooMuch = { 'content-type': 'application/json', 'content-length': String(2 ** 40) }
    const refusal = await inject(api.app, {
      ...requestOf(target),
      headers: { ...headersOf(target), ...tooMuch },
    })
    const [, limit = '0'] = /larger than (\d+) bytes/.exec(refusal.text) ?? []
    return { ...target, bodyLimit: Number(limit) }
  }

  async function hold(name: string, target: Target, payload: string): Promise<Answer> {
    const bytes = Buffer.from(payload)
    return watch(`${target.operation.name}, ${name}`, payload, async () => {
      const headers = {
        ...headersOf(target),
        'content-type': 'application/json',
        // The body is hashed as well.
        ...(target.operation.method === 'post' ? { 'idempotency-key': uuidv7() } : {}),
      }
      const answer = await inject(api.app, { ...requestOf(target), headers, payload: bytes })
      if (answer.status !== 401) return answer
      // A session that this very operation ends.
      target.authorization = await rightCredential(api, api.alice, target.place)
      return answer
    })
  }

  return {
    api,
    operations: operationsOf(inlined(documentOf(api.app))),
    targetOf,
    hold,
    holdRequest: (name, bytes, request) => watch(name, bytes, () => inject(api.app, request())),
    tooLong: () =>
      holds
        .splice(0)
        .filter(({ holdMs, boundMs }) => holdMs > boundMs)
        .map(
          ({ name, holdMs, boundMs }) => `${name}: ${holdMs.toFixed()} of ${boundMs.toFixed()} ms`,
        ),
    close: () => api.close(),
  }
}

const requestOf = ({ operation, url }: Target): InjectOptions => ({
  method: methodOf(operation),
  url,
})

const headersOf = ({ authorization }: Target): Record<string, string> => ({ authorization })

export const methodOf = ({ method }: Operation): 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' =>
  METHODS.find((each) => each === method.toUpperCase()) ?? 'GET'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
