import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Page } from './browser.ts'

/** Serves mails as pages on loopback, by path. */
export async function servePages(pages: Readonly<Record<string, string>>) {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pages[url])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Mails have no landmarks, since clients show them inside their own pages. */
const RULES = { region: { enabled: false }, 'landmark-one-main': { enabled: false } }

/** What axe finds wrong with a page of the console, and whether it is too wide or nameless. */
export async function pageFaults(browser: Page): Promise<string[]> {
  const headings = await browser.evaluate<number>('document.querySelectorAll("h1").length')
  const faults = await faultsOf(browser, {})
  return headings === 1 ? faults : [...faults, `${headings} headings of level 1`]
}

/** What axe finds wrong with the mail that the browser shows, and whether it is too wide. */
export async function faultsOf(browser: Page, rules: object = RULES): Promise<string[]> {
  await browser.evaluate(axe.source)
  const wrong = await browser.evaluate<string[]>(
    `axe.run(document, { preload: false, rules: ${JSON.stringify(rules)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html).join()))`,
  )
  const isWide = await browser.evaluate<boolean>(
    'document.documentElement.scrollWidth > window.innerWidth',
  )
  return isWide ? [...wrong, 'wider than the window'] : wrong
}
