import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendPage } from '../../api/http/html-pages.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { renderer } from '../../src/mail/render.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { seedTopic } from '../support/seed.ts'
import { brandWith } from '../support/brands.ts'

const PHONE = 375
const DESKTOP = 1_280
/** Ours, and colours on which a careless page could not be read. */
const COLORS: readonly [string | null, string | null][] = [
  [null, null],
  ['#ffffff', '#ffffff'],
  ['#ffff00', '#000000'],
  ['#777777', '#777777'],
  ['#7a3e2c', '#fff8f0'],
]

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/** What an accessibility library finds wrong with the page, all its rules on. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, { preload: false, resultTypes: ['violations'] })
      .then(({ violations }) => ({ violations }))`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

describe.runIf(chromium !== undefined)('public pages in a browser', () => {
  let api: Api
  let page: Page
  let origin: string
  let paths: Record<string, string>
  let contactId: string
  let topicId: string

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    api = await startApi({ publicUrl: origin }, { addRoutes })
    await api.app.listen({ host: '127.0.0.1', port })
    const { organizationId } = api.alice
    await api.sql`update organizations set name = 'Gärtnerei "Grün" & Söhne' where id = ${organizationId}`
    const email = 'ada.lovelace@example.com'
    contactId = (await createContact(api.alice, { email })).id
    topicId = await seedTopic(api.sql, organizationId, [contactId], {
      name: 'What grows this week',
    })
    await seedTopic(api.sql, organizationId, [], { name: 'A'.repeat(100) })
    const asks = await seedTopic(api.sql, organizationId, [contactId], { doubleOptIn: true })
    await api.sql`update topics set description = ${'Offers, two a month. '.repeat(10)} where id = ${topicId}`
    await api.sql`update subscriptions set status = 'pending' where topic_id = ${asks}`
    const { id: bouncedId } = await createContact(api.alice, { email: `b-${email}` })
    await api.sql`update contacts set email_status = 'bounced' where id = ${bouncedId}`
    const of = (id: string, address: string) => ({
      organizationId,
      contactId: id,
      addressHash: addressHash(organizationId, address),
    })
    const link = { ...of(contactId, email), batchId: uuidv7() }
    const expiresAt = Date.now() + 3_600_000
    const { keyring } = api.deps
    const preferences = (said: ReturnType<typeof of>) =>
      `/preferences/${signLink(keyring, 'preferences', { ...said, expiresAt })}`
    paths = {
      'unsubscribe from all': `/unsubscribe/${signUnsubscribe(keyring, link)}`,
      'unsubscribe from a topic': `/unsubscribe/${signUnsubscribe(keyring, { ...link, topicId })}`,
      'a link that does not work': '/unsubscribe/x',
      preferences: preferences(of(contactId, email)),
      'preferences of somebody who bounced': preferences(of(bouncedId, `b-${email}`)),
      'preferences of somebody who is gone': preferences(of(uuidv7(), email)),
      'a page in loud colours': '/test/page',
      confirmation: `/confirm/${signLink(keyring, 'confirm', { ...of(contactId, email), topicId: asks, generation: 1, expiresAt })}`,
    }
    page = await openPage(chromium ?? '', `${origin}/health`)
  })
  afterAll(async () => {
    await page.close()
    await api.close()
  })

  const addRoutes = (app: Api['app']): void => {
    app.get('/test/page', { config: { public: true, unlimited: true } }, (_request, reply) =>
      sendPage(reply, {
        brand: brandWith('Alice', { accentColor: '#00ff00', backgroundColor: '#ff00ff' }),
        title: 'Confirm',
        body: '<p>Do you want our news?</p><form method="post"><button>Confirm</button></form>',
      }),
    )
    app.get('/test/mail', { config: { public: true, unlimited: true } }, (_request, reply) => {
      const html = `<!doctype html><html lang="en"><head><title>News</title><meta name="viewport" content="width=device-width"></head>
<body style="background:#ffffff"><main><h1>News</h1><p>Tomatoes.</p></main></body></html>`
      const render = renderer({ subject: 'News', html, text: 'Tomatoes.' }, { marketing: true })
      const mail = render({
        organization: { name: 'Alice' },
        unsubscribeUrl: `${origin}/unsubscribe/x`,
        preferencesUrl: `${origin}/preferences/x`,
      })
      return reply
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .type('text/html')
        .send(mail.html)
    })
  }

  const paint = ([accentColor, backgroundColor]: (typeof COLORS)[number]) =>
    api.alice.send({
      method: 'PATCH',
      url: '/v1/organization',
      payload: { branding: { accentColor, backgroundColor } },
    })

  test('no page has anything against accessibility, on a phone or a desktop, light or dark', async () => {
    const found: Record<string, string[]> = {}
    for (const width of [PHONE, DESKTOP]) {
      for (const dark of [false, true]) {
        await page.look({ width, dark })
        for (const [name, path] of Object.entries(paths)) {
          await page.go(origin + path)
          const wrong = await violations(page)
          const wide = await page.evaluate<boolean>(
            'document.documentElement.scrollWidth > window.innerWidth',
          )
          if (wide) wrong.push('it scrolls sideways')
          if (wrong.length > 0) found[`${name}, ${width} px, ${dark ? 'dark' : 'light'}`] = wrong
        }
      }
    }
    expect(found).toEqual({})
  })

  test('whatever colours the organization has', async () => {
    await page.look({ width: PHONE })
    for (const colors of COLORS) {
      expect((await paint(colors)).status).toBe(200)
      for (const name of ['unsubscribe from a topic', 'preferences'] as const) {
        await page.go(origin + paths[name])
        expect([colors, name, await violations(page)]).toEqual([colors, name, []])
      }
    }
  })

  test('what is large enough for a thumb, and reached by the keyboard', async () => {
    await page.look({ width: PHONE })
    await page.go(origin + paths['preferences'])
    const heights = await page.evaluate<number[]>(
      '[...document.querySelectorAll("button, label")].map((each) => each.getBoundingClientRect().height)',
    )
    expect(heights.length).toBeGreaterThanOrEqual(5)
    for (const height of heights) expect(height).toBeGreaterThanOrEqual(36)
    const focusable = await page.evaluate<boolean>(
      '[...document.querySelectorAll("button, input, a")].every((each) => { each.focus(); return document.activeElement === each })',
    )
    expect(focusable).toBe(true)
  })

  test('the footer of a mail can be read', async () => {
    for (const width of [PHONE, DESKTOP]) {
      await page.look({ width })
      await page.go(`${origin}/test/mail`)
      // Mails have no landmarks: clients show them inside pages of their own.
      const found = await violations(page)
      expect(found.filter((each) => !each.startsWith('region:'))).toEqual([])
      const links = await page.evaluate<string[]>(
        '[...document.querySelectorAll("a")].map((link) => link.innerText)',
      )
      expect(links).toEqual(['Unsubscribe', 'Preferences'])
    }
  })

  test('a person chooses, unsubscribes from a topic, then from everything, with clicks alone', async () => {
    const says = (text: string) => page.until(`document.body?.innerText.includes('${text}')`)
    const clickOn = (text: string) =>
      page.evaluate(
        `[...document.querySelectorAll('button, a')].find((each) => each.innerText === '${text}').click()`,
      )
    await page.go(origin + paths['preferences'])
    await page.evaluate(`document.querySelector('input[value="${topicId}"]').click()`)
    await clickOn('Save')
    await says('You get no more mail about “What grows this week”.')
    expect(await violations(page)).toEqual([])
    await clickOn('Back to your preferences')
    await says('What do you want to get?')
    expect(await page.evaluate(`document.querySelector('input[value="${topicId}"]').checked`)).toBe(
      false,
    )

    await page.go(origin + paths['unsubscribe from a topic'])
    await clickOn('Unsubscribe from everything')
    await says('You will get no more mail from us.')
    expect(await violations(page)).toEqual([])
    const [row] = await api.sql`select email_status from contacts where id = ${contactId}`
    expect(row).toEqual({ emailStatus: 'unsubscribed' })
    const foreign = page.requested.filter((url) => !url.startsWith(`${origin}/`))
    expect(foreign.filter((url) => url !== 'about:blank')).toEqual([])
    expect(page.complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
  })
})
