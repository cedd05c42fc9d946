import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { announceDeprecations } from '../../api/http/deprecation.ts'
import { type Api, inject, startApi } from '../support/api.ts'

const notice = {
  since: '2026-11-21',
  sunset: '2027-06-01',
  link: 'https://docs.example.com/changes',
}
const ANNOUNCED = {
  deprecation: '@1795219200',
  sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
  link: '<https://docs.example.com/changes>; rel="deprecation"; type="text/html"',
}

let api: Api
let app: Api['app']
beforeAll(async () => {
  api = await startApi()
  app = await buildApp(api.deps)
  const schema = {
    tags: ['health'],
    operationId: 'getOld',
    summary: 'Old',
    description: 'What everybody used.',
    response: { 200: { type: 'object', properties: { old: { type: 'boolean' } } } },
  }
  app.get('/v1/old', { config: { scope: 'send', deprecated: notice }, schema }, () => ({
    old: true,
  }))
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await api.close()
})

describe('a deprecated route', () => {
  test('says so on every answer, refusals too', async () => {
    const reader = await api.client(api.alice.organizationId, ['read'])
    const call = (key: string) => ({
      url: '/v1/old',
      headers: { authorization: `Bearer ${key}` },
    })
    const answers = await Promise.all([
      inject(app, call(api.alice.key)),
      inject(app, call('nobody')),
      inject(app, call(reader.key)),
      inject(app, { ...call(api.alice.key), url: '/v1/old?unknown=1' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 403, 400])
    for (const { headers } of answers) expect(headers).toMatchObject(ANNOUNCED)
  })

  test('other routes say nothing', async () => {
    const { headers } = await inject(app, { url: '/health' })
    for (const name of Object.keys(ANNOUNCED)) expect(headers).not.toHaveProperty(name)
  })

  test('is marked in the document, with its dates and headers', () => {
    const { paths } = JSON.parse(JSON.stringify(app.swagger()))
    const { get } = paths['/v1/old']
    expect(get.deprecated).toBe(true)
    for (const part of ['What everybody used.', '2026-11-21', '2027-06-01', notice.link]) {
      expect(get.description).toContain(part)
    }
    for (const status of ['200', '401', '500']) {
      expect(Object.keys(get.responses[status].headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      )
    }
    expect(paths['/health'].get).not.toHaveProperty('deprecated')
  })
})

describe('the notice', () => {
  const boot = async (since: string, sunset: string, link?: string) => {
    const app = fastify()
    announceDeprecations(app)
    const deprecated = { since, sunset, ...(link === undefined ? {} : { link }) }
    app.get('/old', { config: { deprecated } }, () => ({}))
    const { headers } = await app.inject('/old')
    await app.close()
    return headers
  }

  test.each([
    ['2026-11-21', '2027-05-21'],
    // February has no 31st: its last day is six months after it.
    ['2026-08-31', '2027-02-28'],
    ['2027-08-31', '2028-02-29'],
  ])('from %s to %s is long enough, a day less stops the boot', async (since, sunset) => {
    expect(await boot(since, sunset)).toHaveProperty('sunset')
    const earlier = new Date(Date.parse(sunset) - 86_400_000).toISOString().slice(0, 10)
    await expect(boot(since, earlier)).rejects.toThrow(/GET \/old: sunset .* less than 6 months/)
  })

  test.each([
    ['2026-02-30', '2027-06-01', undefined, /deprecated\.since: "2026-02-30" is not a day/],
    ['soon', '2027-06-01', undefined, /deprecated\.since: "soon" is not a day/],
    ['2026-11-21', '01.06.2027', undefined, /deprecated\.sunset: "01.06.2027" is not a day/],
    ['2026-11-21', '2027-06-01', 'new', /deprecated\.link: "new" is not an address/],
  ])('%s, %s, %s stops the boot', async (since, sunset, link, why) => {
    await expect(boot(since, sunset, link)).rejects.toThrow(why)
  })

  test('without a page to link to has no Link', async () => {
    expect(await boot('2026-11-21', '2027-06-01')).not.toHaveProperty('link')
  })
})
