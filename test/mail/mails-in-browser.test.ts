import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailBrand } from '../../src/domain/content/brand.ts'
import { plainConfirmation } from '../../src/mail/confirmation.ts'
import { compileContent } from '../../src/mail/content.ts'
import { renderer } from '../../src/mail/render.ts'
import { brandWith } from '../support/brands.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { faultsOf, servePages } from '../support/readable-pages.ts'

const TOKEN = 'AQ'.repeat(90)
/** None, one that nobody could read on white, and one that anybody can. */
const COLORS = [null, '#ffee00', '#000000']
const postalAddress = '1 Mill Lane\nCambridge CB2 1RX\nUnited Kingdom'

const brandOf = (accentColor: string | null) =>
  brandWith('Donaudampfschifffahrtsgesellschaft Ltd', { accentColor, postalAddress })

/** A page around a text, as an author writes it. */
const page = (body: string) =>
  `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>News</title></head><body>${body}</body></html>`

/** What a batch or a step of a flow mails: without a footer of its own it gets ours. */
function marketing(accentColor: string | null): string {
  const html = page('<h1>Hello {{ contact.firstName }}</h1><p>Here is what is new.</p>')
  return renderer(compileContent({ subject: 'News', html }), { marketing: true })({
    contact: { id: '1', firstName: 'Wolfeschlegelsteinhausen', properties: {} },
    organization: mailBrand(brandOf(accentColor)),
    unsubscribeUrl: `https://mail.example.com/unsubscribe/${TOKEN}`,
    preferencesUrl: `https://mail.example.com/preferences/${TOKEN}`,
  }).html
}

const confirmation = (accentColor: string | null, isReminder: boolean): string =>
  plainConfirmation({
    brand: brandOf(accentColor),
    topic: { name: 'Rindfleischetikettierungsüberwachung' },
    contact: { id: '1' },
    confirmUrl: `https://mail.example.com/confirm/${TOKEN}`,
    isReminder,
  }).html

describe.runIf(chromium !== undefined)('in a browser', () => {
  const pages: Record<string, string> = {}
  for (const [n, color] of COLORS.entries()) {
    pages[`/marketing/${n}`] = marketing(color)
    pages[`/confirmation/${n}`] = confirmation(color, n % 2 === 1)
  }
  let server: Awaited<ReturnType<typeof servePages>>
  let browser: Page
  beforeAll(async () => {
    server = await servePages(pages)
    browser = await openPage(chromium ?? '', `${server.origin}/marketing/0`)
  })
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  test('mails can be read on a phone and a desktop, light and dark, in any colours', async () => {
    const found: Record<string, string[]> = {}
    for (const width of [375, 1_280]) {
      for (const dark of [false, true]) {
        await browser.look({ width, dark })
        for (const path of Object.keys(pages)) {
          await browser.go(server.origin + path)
          const faults = await faultsOf(browser)
          if (faults.length > 0) found[`${path} ${width} ${dark}`] = faults
        }
      }
    }
    expect(found).toEqual({})
  })
})
