import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STARTERS } from '../../src/console/content/starters.ts'
import { connectAccount, createContact } from '../support/api.ts'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole, pageFindings } from '../support/console-browser.ts'

const HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
const isSource = `(e) => e.classList.contains('cm-content')`

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  let templateId: string
  beforeAll(async () => {
    browser = await openConsole()
    const { api } = browser
    await connectAccount(api.alice)
    await createContact(api.alice, { email: 'grace@example.com', firstName: 'Grace' })
    const { body } = await api.alice.post('/v1/templates', {
      name: 'Kept',
      subject: 'First',
      source: '<p>One</p>',
    })
    templateId = body.id
    await browser.signIn()
  })
  afterAll(() => browser.close())

  const saved = () => browser.untilSaid('All is saved.')
  /** Types at the end of the source. */
  async function write(text: string): Promise<void> {
    const { tabTo, page } = browser
    await page.until('document.querySelector(".cm-content")')
    await tabTo(isSource)
    await page.type(text)
  }

  test.each(STARTERS)('the starter $name can be published as it is', async ({ name, input }) => {
    const { status, body } = await browser.api.alice.post('/v1/templates', { name, ...input })
    expect([status, body.status, body.warnings]).toEqual([201, 'PUBLISHED', undefined])
    const variables = { confirmUrl: 'https://example.com/confirm', topic: { name: 'News' } }
    const known = (input.variables ?? []).map((variable) => variable.name)
    const preview = await browser.api.alice.post(`/v1/templates/${body.id}/preview`, {
      variables: Object.fromEntries(
        Object.entries(variables).filter(([variable]) => known.includes(variable)),
      ),
    })
    expect([preview.status, preview.body.problem]).toEqual([200, null])
  })

  test('a template is written, seen and published by keyboard alone', async () => {
    const { api, visit, press, fill, untilSaid, page } = browser
    await visit('/templates')
    await press('New template')
    await page.until('document.querySelector("[role=dialog] input[name=name]")')
    await fill('name', 'November')
    await press('Write it')
    await untilSaid('Not published yet: nothing can use it.')
    await fill('subject', 'Hello {{ contact.firstName }}')
    await saved()
    await untilSaid('Hello Ada')
    await write('<!-- typed -->')
    await saved()
    await press('Publish')
    await untilSaid('Version 1 is published.')
    const id = await page.evaluate<string>('location.pathname.split("/").at(-1)')
    const { body } = await api.alice.get(`/v1/templates/${id}`)
    expect(body).toMatchObject({ name: 'November', status: 'PUBLISHED', version: 1 })
    expect(body.source).toContain('<!-- typed -->')
    expect(page.complaints).toEqual([])
  })

  test('the mail of a contact is shown, and nothing of a hostile mail runs', async () => {
    const { visit, untilSaid, tabTo, page, fill } = browser
    await visit(`/templates/${templateId}`)
    await fill('subject', 'Dear {{ contact.firstName | default: "you" }}')
    await write(HOSTILE)
    await saved()
    await tabTo(`(e) => e.type === 'search'`)
    await page.type('grace@example.com')
    await untilSaid('Dear Grace')
    await page.until('document.querySelector("iframe")')
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    page.complaints.length = 0
  })

  test('two people cannot overwrite each other without being told', async () => {
    const { api, visit, fill, untilSaid, press, page } = browser
    await visit(`/templates/${templateId}`)
    await saved()
    await api.alice.patch(`/v1/templates/${templateId}`, { subject: 'Of somebody else' })
    await fill('subject', 'Mine')
    await untilSaid('Somebody else has saved this template while you wrote')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('409')])
    const stored = async () => (await api.alice.get(`/v1/templates/${templateId}`)).body.subject
    expect(await stored()).toBe('Of somebody else')
    await press('Keep mine')
    await saved()
    expect(await stored()).toBe('Mine')
  })

  test('what an earlier version said is taken up again', async () => {
    const { api, visit, press, untilSaid, page } = browser
    await visit(`/templates/${templateId}`)
    await press('Version 1')
    await page.until('document.querySelector("[role=dialog] code")')
    await press('Write on with this')
    await page.until('!document.querySelector("[role=dialog]")')
    await untilSaid('Not saved yet')
    await saved()
    const { body } = await api.alice.get(`/v1/templates/${templateId}`)
    expect(body).toMatchObject({ subject: 'First', source: '<p>One</p>' })
  })

  test('a test mail is sent to whoever looks at it', async () => {
    const { api, visit, press, untilSaid, page, fill } = browser
    await visit(`/templates/${templateId}`)
    await press('Send a test')
    await page.until('document.querySelector("[role=dialog] input[name=to]")')
    await fill('from', 'news@example.com')
    await press('Send it')
    await untilSaid('The test is on its way')
    const mails = await api.sql<{ recipient: string }[]>`
      select recipient from messages where organization_id = ${api.alice.organizationId}`
    expect(mails.map(({ recipient }) => recipient)).toEqual([browser.bob.email])
  })

  test('leaving within the second loses nothing', async () => {
    const { api, visit, fill, press, page } = browser
    await visit(`/templates/${templateId}`)
    await fill('subject', 'Typed in a hurry')
    await press('Templates')
    await page.until('location.pathname.endsWith("/templates")')
    await expect
      .poll(async () => (await api.alice.get(`/v1/templates/${templateId}`)).body.subject)
      .toBe('Typed in a hurry')
  })

  test('pages hold whatever is in them, light and dark, on a phone too', async () => {
    expect(await pageFindings(browser, ['/templates', `/templates/${templateId}`])).toEqual({})
  })
})
