import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { type Api, startApi } from './api.ts'
import { chromium, openPage, type Page } from './browser.ts'
import { consoleSettings } from './console.ts'
import { addMember, PASSWORD, type Person } from './people.ts'
import { pageFaults } from './readable-pages.ts'

/** What has the focus, in a few words. */
const FOCUSED = `(({ tagName, name, textContent }) =>
  tagName + ' ' + (name || (textContent ?? '').trim().slice(0, 20)))(document.activeElement)`
/** More than Chromium needs to hand the focus to another process. */
const HANDED_MS = 100
/** Far longer than a busy machine needs to go through a page. */
const TABS_MS = 20_000

/** Uses a page as people do who have no mouse. */
export interface Keyboard {
  /** Everything that the page says. */
  text: () => Promise<string>
  /** Until the page says this. */
  untilSaid: (words: string) => Promise<void>
  /** Goes on with the Tab key until `code` is true of what has the focus. */
  tabTo: (code: string) => Promise<void>
  /** Goes to the field and types instead of what is there. */
  fill: (name: string, text: string) => Promise<void>
  /** Goes to the button or link that says this, and presses Enter. */
  press: (words: string) => Promise<void>
}

/** The console in a browser. */
export interface ConsoleBrowser extends Keyboard {
  api: Api
  page: Page
  origin: string
  /** An admin of Alice's organization. */
  bob: Person
  /** The address of a page of an organization: Alice's if no other is named. */
  urlOf: (path?: string, organizationId?: string) => string
  /** Goes to a page of the console and waits until it has loaded. */
  visit: (path: string) => Promise<void>
  signIn: () => Promise<void>
  close: () => Promise<void>
}

export const isLoaded =
  'document.querySelector("h1") && !document.querySelector(".loading, .frame")'
export const named = (name: string): string => `(e) => e.name === '${name}'`
export const saying = (words: string): string =>
  `(e) => (e.textContent ?? '').trim().startsWith(${JSON.stringify(words)}) && e.matches('a, button, [role^=menuitem]')`

export function keyboardOf(page: Page): Keyboard {
  const tabTo = async (code: string): Promise<void> => {
    // What is disabled while something is saved is passed over, and reached the next time round.
    const end = Date.now() + TABS_MS
    const passed = new Set<string>()
    while (!(await page.evaluate<boolean>(`Boolean((${code})(document.activeElement))`))) {
      if (Date.now() > end)
        throw new Error(`Tab passes ${[...passed].join(', ')} and never ${code}`)
      await page.press('Tab')
      const focused = await page.evaluate<string>(FOCUSED)
      passed.add(focused)
      // Chromium hands the focus to the process of the frame and back.
      if (/^(?:IFRAME|BODY)/.test(focused)) await sleep(HANDED_MS)
    }
  }
  const fill = async (name: string, text: string): Promise<void> => {
    await tabTo(named(name))
    await page.evaluate('document.activeElement.select()')
    await page.type(text)
  }
  const press = async (words: string): Promise<void> => {
    await page.until(`[...document.querySelectorAll('a, button')].some(${saying(words)})`)
    await tabTo(saying(words))
    await page.press('Enter')
  }
  return {
    text: () => page.evaluate<string>('document.body.innerText'),
    untilSaid: (words) => page.until(`document.body.innerText.includes(${JSON.stringify(words)})`),
    tabTo,
    fill,
    press,
  }
}

/** Faults of pages, light and dark, on a desktop and a phone. The console must be quiet, too. */
export async function pageFindings(
  { page, visit }: ConsoleBrowser,
  paths: readonly string[],
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const path of paths) {
    await visit(path)
    for (const width of [1_280, 375]) {
      for (const dark of [false, true]) {
        await page.look({ width, dark })
        const faults = await pageFaults(page)
        if (faults.length > 0) found[`${path} ${width} ${dark ? 'dark' : 'light'}`] = faults
      }
    }
  }
  await page.look({ width: 1_280 })
  const complaints = page.complaints.splice(0)
  return complaints.length === 0 ? found : { ...found, complaints }
}

export async function openConsole(): Promise<ConsoleBrowser> {
  // A browser takes a cookie without TLS by its other name only.
  const api = await startApi({ console: consoleSettings, publicUrl: 'http://127.0.0.1' })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
  const bob = await addMember(api.sql, api.alice.organizationId, 'admin')
  const page = await openPage(chromium ?? '', `${origin}/console`)
  const urlOf = (path = '', organizationId: string = api.alice.organizationId) =>
    `${origin}/console/${organizationId}${path}`
  const keyboard = keyboardOf(page)
  return {
    api,
    page,
    origin,
    bob,
    urlOf,
    ...keyboard,
    visit: async (path) => {
      await page.go(urlOf(path))
      await page.until(isLoaded)
    },
    signIn: async () => {
      await page.until('document.querySelector("input[name=email]")')
      await keyboard.fill('email', bob.email)
      await keyboard.fill('password', PASSWORD)
      await page.press('Enter')
      await page.until('document.querySelector(".rail")')
      await page.until(isLoaded)
    },
    close: async () => {
      await page.close()
      await api.close()
    },
  }
}
