import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { consoleSettings } from '../support/console.ts'
import { pageFaults } from '../support/readable-pages.ts'
import { addMember, join, PASSWORD, type Person } from '../support/people.ts'

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
  let api: Api
  let origin: string
  let page: Page
  let bob: Person

  beforeAll(async () => {
    // A browser takes a cookie without TLS by its other name only.
    api = await startApi({ console: consoleSettings, publicUrl: 'http://127.0.0.1' })
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
    bob = await addMember(api.sql, api.alice.organizationId, 'admin')
    await join(api.sql, api.charlie.organizationId, bob, 'viewer')
    page = await openPage(chromium ?? '', `${origin}/console`)
  })
  afterAll(async () => {
    await page.close()
    await api.close()
  })

  const urlOf = (organizationId: string, path = '') => `${origin}/console/${organizationId}${path}`
  const text = () => page.evaluate<string>('document.body.innerText')
  /** Goes on with the Tab key until `code` is true of what has the focus. */
  const tabTo = async (code: string): Promise<void> => {
    for (let pressed = 0; pressed < 60; pressed++) {
      if (await page.evaluate<boolean>(`Boolean((${code})(document.activeElement))`)) return
      await page.press('Tab')
    }
    throw new Error(`the Tab key never comes to ${code}`)
  }
  const named = (name: string) => `(e) => e.name === '${name}'`
  const saying = (words: string) => `(e) => e.innerText?.trim() === '${words}'`
  const press = async (words: string): Promise<void> => {
    await tabTo(saying(words))
    await page.press('Enter')
  }
  const isLoaded = 'document.querySelector("h1") && !document.querySelector(".loading, .frame")'

  test('somebody signs in by keyboard alone and sees the overview', async () => {
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
    const found: Record<string, string[]> = {}
    for (const path of PAGES) {
      await page.go(urlOf(api.alice.organizationId, path))
      await page.until(isLoaded)
      for (const width of [1_280, 375]) {
        for (const dark of [false, true]) {
          await page.look({ width, dark })
          const faults = await pageFaults(page)
          if (faults.length > 0) found[`${path} ${width} ${dark}`] = faults
        }
      }
    }
    await page.look({ width: 1_280 })
    expect(found).toEqual({})
    expect(page.complaints).toEqual([])
    const foreign = page.requested.filter((url) => !/^(?:data|blob):/.test(url))
    expect(foreign.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  })

  test('a key is made by keyboard alone, shown once, and works', async () => {
    await page.go(urlOf(api.alice.organizationId, '/settings/keys'))
    await page.until(isLoaded)
    await tabTo(named('name'))
    await page.type('Shop')
    // What was typed is still there after a reload.
    await page.go(urlOf(api.alice.organizationId, '/settings/keys'))
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
    await page.go(urlOf(api.alice.organizationId, '/settings/keys'))
    await page.until('document.querySelector("tbody")')
    expect(await text()).not.toContain(key)
  })

  test('what the API finds wrong stands beside its field, which has the focus', async () => {
    await page.go(urlOf(api.alice.organizationId, '/settings/me'))
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
    await page.go(urlOf(api.charlie.organizationId, '/settings'))
    await page.until('document.querySelector("h1")')
    expect(await text()).toContain('This page is of B')
    await press('Switch to B')
    await page.until(`document.querySelector('.rail')`)
    expect(await page.evaluate('location.pathname')).toBe(`/console/${api.charlie.organizationId}`)
  })

  test('a viewer sees the settings without what they may not do', async () => {
    await page.go(urlOf(api.charlie.organizationId, '/settings/people'))
    await page.until('document.querySelector("tbody")')
    const shown = await text()
    expect(shown).toContain('You are a viewer here')
    expect(shown).not.toMatch(/Invite|Remove|API keys/)
    // Not by its address either.
    await page.go(urlOf(api.charlie.organizationId, '/settings/keys'))
    await page.until('document.querySelector("[role=alert]")')
    expect(await text()).toContain('You may not do this')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('403')])
  })

  test('another organization was chosen in another tab: nothing is sent as the wrong one', async () => {
    const inOtherTab = (id: string) => `fetch('/console/session/switch', {
      method: 'POST',
      headers: { 'x-letterloom-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ organizationId: '${id}' }),
    }).then(({ status }) => status)`
    await page.go(urlOf(api.charlie.organizationId, '/settings/people'))
    await page.until('document.querySelector("tbody")')
    expect(await page.evaluate(inOtherTab(api.alice.organizationId))).toBe(200)
    await page.evaluate(`document.querySelector('a[href$="/settings"]').click()`)
    await page.until('document.querySelector("h1")?.innerText === "This page is of B"')
    page.complaints.length = 0
  })

  test('a session that ended elsewhere asks for the password over the page', async () => {
    await page.go(urlOf(api.alice.organizationId, '/settings'))
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
    await page.evaluate('sessionStorage.setItem("draft:x", "{}")')
    await tabTo(`(e) => e.classList.contains('account')`)
    await page.press('Enter')
    await page.until('document.querySelector("[role=menu]")')
    for (let pressed = 0; pressed < 20; pressed++) {
      if (await page.evaluate<boolean>(`(${saying('Sign out')})(document.activeElement)`)) break
      await page.press('ArrowDown')
    }
    await page.press('Enter')
    await page.until('document.querySelector("input[name=email]")')
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).not.toContain('draft:')
    const { status } = await fetch(`${origin}/console/session`, {
      headers: { 'sec-fetch-site': 'same-origin', 'x-letterloom-console': '1' },
    })
    expect(status).toBe(204)
  })
})
