import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, inject, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('health says the version and the time, without credentials', async () => {
  const { status, body } = await inject(api.app, { url: '/health?whatever=1' })
  expect(status).toBe(200)
  expect(body).toEqual({ status: 'ok', version: '1.0.0', timestamp: expect.any(String) })
  expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp)
})

test('the root says where the documentation is', async () => {
  const { body } = await inject(api.app, { url: '/' })
  expect(body).toEqual({
    name: 'Letterloom',
    version: '1.0.0',
    docs: 'https://mail.example.com/docs',
  })
})
