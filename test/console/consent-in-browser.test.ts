import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { connectAccount, createContact } from '../support/api.ts'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole, pageFindings } from '../support/console-browser.ts'

const LONG = 'W'.repeat(100)

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  let topicId: string
  beforeAll(async () => {
    browser = await openConsole()
    const { api } = browser
    const { organizationId } = api.alice
    const { connectionId } = await connectAccount(api.alice)
    await createContact(api.alice, { email: 'ada@example.com' })
    topicId = (await api.alice.post('/v1/topics', { name: LONG })).body.id
    for (const [days, sent] of [
      [0, 30],
      [1, 12],
    ] as const) {
      const at = new Date(Date.now() - days * 86_400_000).toISOString()
      await api.sql`
        insert into mail_figures
        select ${organizationId}, ${uuidv7()}, 1, date_trunc('hour', ${at}::timestamptz),
          ${dayBucket(uuidv7(Date.parse(at)))}, 'transactional', ${connectionId},
          '00000000-0000-0000-0000-000000000000', 'example.com', null, ${sent}, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0`
    }
    await browser.signIn()
  })
  afterAll(() => browser.close())

  test('a topic is added and changed by keyboard alone', async () => {
    const { api, visit, press, fill, untilSaid, page } = browser
    await visit('/topics')
    await press('Add a topic')
    await page.until('document.querySelector("[role=dialog] input[name=name]")')
    await fill('name', 'Product news')
    await fill('description', 'Once a month')
    await press('Add the topic')
    await untilSaid('0 subscribers.')
    expect(await page.evaluate('document.querySelector("h1").innerText')).toBe('Product news')
    await fill('name', 'News')
    await press('Save')
    await page.until('document.querySelector("h1").innerText === "News"')
    const { body } = await api.alice.get('/v1/topics/product-news')
    expect(body).toMatchObject({ name: 'News', description: 'Once a month', public: true })
  })

  test('a topic with double opt-in and no sender is refused beside its field', async () => {
    const { visit, press, tabTo, page, text } = browser
    await visit(`/topics/${topicId}`)
    await tabTo(`(e) => e.name === 'doubleOptIn'`)
    await page.press(' ')
    await press('Save')
    await page.until('document.activeElement?.getAttribute("aria-invalid") === "true"')
    expect(await page.evaluate('document.activeElement.name')).toBe('from')
    expect(await text()).toContain('Address of the confirmation mail')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('400')])
  })

  test('an address is suppressed, found, and taken off after saying what that means', async () => {
    const { api, visit, press, fill, untilSaid, page } = browser
    await visit('/suppressions')
    await press('Suppress an address')
    await page.until('document.querySelector("[role=dialog] input[name=email]")')
    await fill('email', 'ada@example.com')
    await press('Suppress it')
    await untilSaid('The address gets no more mail')
    const contact = await api.alice.get('/v1/contacts/ada@example.com')
    expect(contact.body.emailStatus).toBe('suppressed')
    await visit('/suppressions?email=ada%40example.com')
    await press('Take off')
    await page.until('document.querySelector("[role=dialog]")')
    await untilSaid('It was put here so that it is never mailed again.')
    await press('Take it off the list')
    await untilSaid('No such address is suppressed')
    const { body } = await api.alice.get('/v1/suppressions?email=ada@example.com')
    expect(body.data).toEqual([])
  })

  test('the metrics show each figure over time, by keyboard too, and by group', async () => {
    const { visit, untilSaid, tabTo, page } = browser
    await visit('/metrics?zone=utc')
    await untilSaid('42')
    await tabTo(`(e) => e.getAttribute('aria-label') === 'Sent: period'`)
    const shown = () =>
      page.evaluate<string>('document.activeElement.getAttribute("aria-valuetext")')
    expect(await shown()).toMatch(/: 30$/)
    await page.press('ArrowLeft')
    await page.until('document.activeElement.getAttribute("aria-valuetext").endsWith(": 12")')
    await visit('/metrics?by=source')
    await untilSaid('The API')
    expect(await page.evaluate('document.querySelector("tbody tr").innerText')).toContain('42')
  })

  test('the metrics can be saved as a file', async () => {
    const { visit, press, page, origin } = browser
    await visit('/metrics?by=domain')
    const asked = page.requested.length
    await press('As CSV')
    await page.until('!document.querySelector("[aria-busy]")')
    const [file] = page.requested.slice(asked).filter((url) => url.includes('/v1/email/metrics'))
    expect(file).toMatch(new RegExp(`^${origin}/console/api/.*dimensions=domain`))
    expect(page.complaints).toEqual([])
  })

  test('pages hold whatever is in them, light and dark, on a phone too', async () => {
    const paths = [
      '/topics',
      `/topics/${topicId}`,
      '/suppressions',
      '/metrics',
      '/metrics?by=source',
    ]
    expect(await pageFindings(browser, paths)).toEqual({})
  })
})
