import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { clientTypes } from '../support/client-types.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('the types of the client are those of the API: `npm run client` writes them anew', async () => {
  const types = await clientTypes(api.app.swagger(), inject('cacheFolder'))
  expect(types).toContain('export interface paths')
  await expect(types).toMatchFileSnapshot('../../src/client/schema.ts')
})
