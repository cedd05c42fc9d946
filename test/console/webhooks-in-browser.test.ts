import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole, pageFindings } from '../support/console-browser.ts'
import { createEndpoint } from '../support/hooks.ts'

const URL = 'https://shop.example.com/letterloom'

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  beforeAll(async () => {
    browser = await openConsole()
    await browser.signIn()
  })
  afterAll(() => browser.close())

  test('a webhook is added by keyboard alone, and its secret is shown once', async () => {
    const { api, visit, fill, tabTo, press, text, page } = browser
    await visit('/settings/webhooks')
    await fill('url', URL)
    await tabTo(`(e) => e.name === 'email.bounced'`)
    await page.press(' ')
    await press('Add the webhook')
    await page.until('document.querySelector(".note.good code")')
    const secret = await page.evaluate<string>(
      'document.querySelector(".note.good code").textContent',
    )
    expect(secret).toMatch(/^whsec_/)
    await page.until(`document.querySelector('tbody')?.innerText.includes('${URL}')`)
    const { data } = (await api.alice.get('/v1/webhook-endpoints')).body
    expect(data).toMatchObject([{ url: URL, eventTypes: ['email.bounced'], sources: null }])
    await visit('/settings/webhooks')
    expect(await text()).not.toContain(secret)
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(secret)
  })

  test('what the API does not take stands beside its field', async () => {
    const { visit, fill, tabTo, press, page } = browser
    await visit('/settings/webhooks')
    await fill('url', 'ftp://shop.example.com/')
    await tabTo(`(e) => e.name === 'email.bounced'`)
    await page.press(' ')
    await press('Add the webhook')
    await page.until('document.activeElement?.matches("input[name=url][aria-invalid=true]")')
    expect(await page.evaluate('document.querySelector(".wrong").innerText')).toMatch(
      /^Address (?:must begin|cannot be called)/,
    )
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('400')])
  })

  test('a test event is seen among the deliveries, with what the receiver answered', async () => {
    const { api, visit, press, untilSaid, page } = browser
    const { id } = await createEndpoint(api.alice, 'https://crm.example.com/', {
      eventTypes: ['batch.completed'],
    })
    await visit(`/webhooks/${id}`)
    await untilSaid('Nothing was sent yet')
    await press('Send a test event')
    await page.until('document.querySelector("[role=dialog] select")')
    await press('Send it')
    const row = 'document.querySelector("tbody tr")?.innerText ?? ""'
    await page.until(`/batch\\.completed[\\s\\S]*Test[\\s\\S]*Waiting/.test(${row})`)
    const tries = [{ at: new Date().toISOString(), status: 503, ms: 41, error: 'Answered 503' }]
    await api.sql`
      update hook_deliveries
      set state = 'failed', attempts = 1, tries = ${api.sql.json(tries)}, answer = '<b>down</b>'
      where endpoint_id = ${id}`
    await page.until(`/Failed[\\s\\S]*Answered 503/.test(${row})`)
    await press('Send again')
    await press('Send it again')
    await page.until(`/Waiting/.test(${row})`)
    const { data } = (await api.alice.get(`/v1/webhook-endpoints/${id}/deliveries`)).body
    expect(data).toMatchObject([{ state: 'pending' }])
    expect(page.complaints).toEqual([])
  })

  test('an endpoint that was disabled says why, and is enabled with what was held', async () => {
    const { api, visit, press, untilSaid, page } = browser
    const { id } = await createEndpoint(api.alice, 'https://down.example.com/')
    await api.sql`
      update hook_endpoints set disabled_at = now(), disabled_reason = 'failing' where id = ${id}`
    await visit(`/webhooks/${id}`)
    await untilSaid('No call had succeeded for 72 hours.')
    await press('Enable')
    await press('Enable it')
    await page.until('!document.querySelector("[role=dialog]")')
    await untilSaid('It is called whenever one of its events happens.')
    expect((await api.alice.get(`/v1/webhook-endpoints/${id}`)).body.enabled).toBe(true)
    expect(page.complaints).toEqual([])
  })

  test('its pages can be read and used, light and dark, on a desktop and a phone', async () => {
    const { data } = (await browser.api.alice.get('/v1/webhook-endpoints')).body
    expect(await pageFindings(browser, ['/settings/webhooks', `/webhooks/${data[0].id}`])).toEqual(
      {},
    )
  })
})
