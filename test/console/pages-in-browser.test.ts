import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium } from '../support/browser.ts'
import {
  type ConsoleBrowser,
  isLoaded,
  named,
  openConsole,
  pageFindings,
  saying,
} from '../support/console-browser.ts'
import { join, PASSWORD } from '../support/people.ts'

/** Within the organization. */
const PAGES = [
  '',
  '/settings',
  '/settings/people',
  '/settings/keys',
  '/settings/audit',
  '/settings/me',
  '/no/such/page',
]

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  beforeAll(async () => {
    browser = await openConsole()
    const { api, bob } = browser
    await join(api.sql, api.charlie.organizationId, bob, 'viewer')
  })
  afterAll(() => browser.close())

  test('somebody signs in by keyboard alone and sees the overview', async () => {
    const { api, page, bob, text, tabTo } = browser
    await page.until('document.querySelector("input[name=email]")')
    await tabTo(named('email'))
    await page.type(bob.email)
    await page.press('Tab')
    await page.type('not the password')
    await page.press('Enter')
    await page.until('document.querySelector("[role=alert]")')
    expect(await text()).toContain('The address or the password is wrong.')
    // Of a wrong password the browser's own log tells, too; nothing else was complained about.
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('401')])
    await tabTo(named('password'))
    await page.evaluate('document.activeElement.select()')
    await page.type(PASSWORD)
    await page.press('Enter')
    await page.until('document.querySelector(".rail")')
    await page.until(isLoaded)
    expect(await page.evaluate('location.pathname')).toBe(`/console/${api.alice.organizationId}`)
    expect(await page.evaluate('document.title')).toBe('Overview – Letterloom')
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toMatch(
      /loomses_|not the password/,
    )
  })

  test('every page can be read and used, light and dark, on a desktop and a phone', async () => {
    const { page, origin } = browser
    expect(await pageFindings(browser, PAGES)).toEqual({})
    const foreign = page.requested.filter((url) => !/^(?:data|blob):/.test(url))
    expect(foreign.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  })

  test('a key is made by keyboard alone, shown once, and works', async () => {
    const { api, page, text, tabTo, press, urlOf, visit } = browser
    await visit('/settings/keys')
    await tabTo(named('name'))
    await page.type('Shop')
    // What was typed is still there after a reload.
    await page.go(urlOf('/settings/keys'))
    await page.until('document.querySelector("input[name=name]")?.value === "Shop"')
    await press('Make the key')
    await page.until('document.querySelector(".note.good code")')
    const key = await page.evaluate<string>('document.querySelector(".note.good code").textContent')
    const { status, body } = await api.alice.send({
      method: 'GET',
      url: '/v1/organization',
      headers: { authorization: `Bearer ${key}` },
    })
    expect([status, body.scopes]).toEqual([200, ['full']])
    await page.until('document.querySelector("input[name=name]").value === ""')
    await page.go(urlOf('/settings/keys'))
    await page.until('document.querySelector("tbody")')
    expect(await text()).not.toContain(key)
  })

  test('what the API finds wrong stands beside its field, which has the focus', async () => {
    const { page, text, tabTo, urlOf } = browser
    await page.go(urlOf('/settings/me'))
    await page.until('document.querySelector("input[name=currentPassword]")')
    await tabTo(named('currentPassword'))
    await page.type('something else')
    await page.press('Tab')
    await page.type('correct horse staple')
    await page.press('Enter')
    await page.until('document.activeElement?.getAttribute("aria-invalid") === "true"')
    expect(await text()).toContain('is not your password')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('400')])
  })

  test('the page of another organization offers to switch', async () => {
    const { api, page, text, press, urlOf } = browser
    await page.go(urlOf('/settings', api.charlie.organizationId))
    await page.until('document.querySelector("h1")')
    expect(await text()).toContain('This page is of B')
    await press('Switch to B')
    await page.until(`document.querySelector('.rail')`)
    expect(await page.evaluate('location.pathname')).toBe(`/console/${api.charlie.organizationId}`)
  })

  test('a viewer sees the settings without what they may not do', async () => {
    const { api, page, text, urlOf } = browser
    await page.go(urlOf('/settings/people', api.charlie.organizationId))
    await page.until('document.querySelector("tbody")')
    const shown = await text()
    expect(shown).toContain('You are a viewer here')
    expect(shown).not.toMatch(/Invite|Remove|API keys/)
    // Not by its address either.
    await page.go(urlOf('/settings/keys', api.charlie.organizationId))
    await page.until('document.querySelector("[role=alert]")')
    expect(await text()).toContain('You may not do this')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('403')])
  })

  test('another organization was chosen in another tab: nothing is sent as the wrong one', async () => {
    const { api, page, urlOf } = browser
    const inOtherTab = (id: string) => `fetch('/console/session/switch', {
      method: 'POST',
      headers: { 'x-letterloom-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ organizationId: '${id}' }),
    }).then(({ status }) => status)`
    await page.go(urlOf('/settings/people', api.charlie.organizationId))
    await page.until('document.querySelector("tbody")')
    expect(await page.evaluate(inOtherTab(api.alice.organizationId))).toBe(200)
    await page.evaluate(`document.querySelector('a[href$="/settings"]').click()`)
    await page.until('document.querySelector("h1")?.innerText === "This page is of B"')
    page.complaints.length = 0
  })

  test('a session that ended elsewhere asks for the password over the page', async () => {
    const { api, page, bob, tabTo, press, urlOf } = browser
    await page.go(urlOf('/settings'))
    await page.until('document.querySelector("input[name=name]")')
    await tabTo(named('name'))
    await page.evaluate('document.activeElement.select()')
    await page.type('Renamed')
    await api.sql`update sessions set revoked_at = now() where user_id = ${bob.id}`
    // Known for less than a second.
    await expect
      .poll(() => page.evaluate(`fetch('/console/session').then(({ status }) => status)`))
      .toBe(401)
    await press('Save')
    await page.until('document.querySelector("[role=dialog] input[name=password]")')
    await tabTo(named('password'))
    await page.type(PASSWORD)
    await page.press('Enter')
    await page.until('!document.querySelector("[role=dialog]")')
    expect(await page.evaluate('document.querySelector("input[name=name]").value')).toBe('Renamed')
    await press('Save')
    await page.until('document.querySelector(".top-organization")?.innerText === "Renamed"')
    page.complaints.length = 0
  })

  test('signing out leaves nothing behind', async () => {
    const { page, origin, tabTo } = browser
    await page.evaluate('sessionStorage.setItem("draft:x", "{}")')
    await tabTo(`(e) => e.classList.contains('account')`)
    await page.press('Enter')
    await page.until('document.querySelector("[role=menu]")')
    await expect
      .poll(async () => {
        await page.press('ArrowDown')
        return page.evaluate<boolean>(`(${saying('Sign out')})(document.activeElement)`)
      })
      .toBe(true)
    await page.press('Enter')
    await page.until('document.querySelector("input[name=email]")')
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).not.toContain('draft:')
    const { status } = await fetch(`${origin}/console/session`, {
      headers: { 'sec-fetch-site': 'same-origin', 'x-letterloom-console': '1' },
    })
    expect(status).toBe(204)
  })
})
