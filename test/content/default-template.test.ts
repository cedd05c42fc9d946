import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_TEMPLATE } from '../../src/main/dev/default-template.ts'
import { createRenderer, type Renderer } from '../../src/mail/renderer.ts'
import type { MailPreview } from '../../src/mail/works.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { faultsOf, servePages } from '../support/readable-pages.ts'

let renderer: Renderer
beforeAll(() => {
  renderer = createRenderer()
})
afterAll(() => renderer.close())

/** As it is published, and sent to somebody. */
async function made(contact: object): Promise<MailPreview & { isInlined: boolean }> {
  const call = { organization: 'test', content: 'test' }
  const { subject, previewText, source: html } = DEFAULT_TEMPLATE
  const content = await renderer.compile({ subject, previewText, html }, undefined, call)
  const data = {
    contact: { id: '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11', ...contact },
    organization: { name: 'Example News', postalAddress: '1 Mill Lane\nCambridge' },
    unsubscribeUrl: 'https://mail.example.com/unsubscribe/x',
    preferencesUrl: 'https://mail.example.com/preferences/x',
  }
  const preview = await renderer.preview({ key: 'd', content, marketing: true }, data, call)
  return { ...preview, isInlined: content.isInlined }
}

const ADA = { firstName: 'Ada', company: 'Analytical Engines', properties: { plan: 'pro' } }

test('has nothing to be warned of, for whomever it is', async () => {
  for (const contact of [ADA, { properties: {} }]) {
    const { mail, checks, isInlined } = await made(contact)
    expect([checks, isInlined]).toEqual([[], true])
    expect(mail.html.length).toBeLessThan(30_000)
    expect(mail.text).toContain('https://letterloom.example/november')
    // The address is its own, so that nothing is added at its end.
    expect(mail.html.match(/Cambridge/g)).toHaveLength(1)
    expect(mail.text).toContain('Cambridge')
  }
})

describe.runIf(chromium !== undefined)('in a browser', () => {
  let server: Awaited<ReturnType<typeof servePages>>
  let browser: Page
  const pages: Record<string, string> = {}

  beforeAll(async () => {
    const { mail } = await made(ADA)
    pages['/whole'] = mail.html
    pages['/long'] = (await made({ firstName: 'Wolfeschlegelsteinhausen'.repeat(2) })).mail.html
    // Some mail programs read no style sheet, and others no media query.
    pages['/bare'] = mail.html.replace(/<style>[^]*?<\/style>/, '')
    server = await servePages(pages)
    browser = await openPage(chromium ?? '', `${server.origin}/whole`)
  })
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  test('it can be read on a phone and a desktop, light and dark, with styles or without', async () => {
    const found: Record<string, unknown> = {}
    const colors = new Set<string>()
    for (const width of [375, 1_280]) {
      for (const dark of [false, true]) {
        await browser.look({ width, dark })
        for (const path of Object.keys(pages)) {
          await browser.go(server.origin + path)
          const faults = await faultsOf(browser)
          if (faults.length > 0) found[`${path} ${width} ${dark}`] = faults
          const color = 'getComputedStyle(document.querySelector(".card")).backgroundColor'
          colors.add(`${path} ${dark}: ${await browser.evaluate<string>(color)}`)
        }
      }
    }
    expect(found).toEqual({})
    // Dark is dark where it can be, and light is light where it cannot.
    expect(colors).toContain('/whole true: rgb(36, 33, 28)')
    expect(colors).toContain('/whole false: rgb(255, 255, 255)')
    expect(colors).toContain('/bare true: rgb(255, 255, 255)')
  })
})
