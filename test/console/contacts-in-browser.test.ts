import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { connectAccount, createContact, insertMail } from '../support/api.ts'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts'
import { pageFaults } from '../support/readable-pages.ts'

/** A name without a blank that would push a page wide. */
const LONG = 'W'.repeat(100)
const RIGHT_TO_LEFT = '\u202Emoc.elpmaxe@live'

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  let accountId: string
  let contactId: string
  let logId: string
  beforeAll(async () => {
    browser = await openConsole()
    const { api } = browser
    accountId = (await connectAccount(api.alice)).connectionId
    contactId = (
      await createContact(api.alice, {
        email: 'ada@example.com',
        firstName: LONG,
        lastName: RIGHT_TO_LEFT,
        company: '<b>Bold</b>',
        properties: {
          note: '<script>window.hacked=1</script>',
          [`p${'x'.repeat(60)}`]: LONG.repeat(2),
        },
      })
    ).id
    await browser.signIn()
  })
  afterAll(() => browser.close())

  test('a new organization is told what comes next, and no more than that', async () => {
    const { text, visit, untilSaid } = browser
    await visit('')
    await untilSaid('Next steps')
    expect(await text()).toContain('Connect an AWS account')
    expect(await text()).not.toContain('Add contacts')
  })

  test('a contact is added by keyboard alone; one that is there already is refused beside its field', async () => {
    const { api, visit, press, fill, untilSaid, page } = browser
    await visit('/contacts')
    await press('Add a contact')
    await page.until('document.querySelector("[role=dialog] input[name=email]")')
    await fill('email', 'ada@example.com')
    await fill('firstName', 'Grace')
    await press('Add the contact')
    await page.until('document.activeElement?.getAttribute("aria-invalid") === "true"')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('409')])
    await fill('email', 'grace@example.com')
    await press('Add the contact')
    await page.until('!document.querySelector("[role=dialog] input[name=email]")')
    await untilSaid('grace@example.com')
    const { body } = await api.alice.get('/v1/contacts/grace@example.com')
    expect(body).toMatchObject({ firstName: 'Grace', emailStatus: 'active' })
  })

  test('a search is in the address, and the way back leads out of it', async () => {
    const { visit, untilSaid, page } = browser
    await visit('/contacts')
    await page.press('/')
    await page.type('grace')
    await untilSaid('1 contact')
    expect(await page.evaluate('location.search')).toBe('?search=grace')
    await page.evaluate('history.back()')
    await untilSaid('2 contacts')
    expect(await page.evaluate('document.querySelector("input[type=search]").value')).toBe('')
  })

  test('Ctrl K finds pages and contacts, and Enter goes there', async () => {
    const { visit, untilSaid, page } = browser
    await visit('/logs')
    await page.press('k', { control: true })
    await page.until('document.activeElement?.matches("[role=dialog] input")')
    await page.type('grace')
    await untilSaid('grace@example.com')
    await page.press('ArrowDown')
    await page.press('Enter')
    await page.until('location.pathname.includes("/contacts/")')
    await page.until('!document.querySelector("[role=dialog]")')
    await untilSaid('Who it is')
    expect(page.complaints).toEqual([])
  })

  test('ticked contacts are added to a topic, unsubscribed and deleted, and nobody else', async () => {
    const { api, visit, press, tabTo, untilSaid, page } = browser
    const topic = (await api.alice.post('/v1/topics', { name: 'News' })).body
    const emails = ['tick1@example.com', 'tick2@example.com', 'tick3@example.com']
    const people: Awaited<ReturnType<typeof createContact>>[] = []
    for (const email of emails) people.push(await createContact(api.alice, { email }))
    const read = async (at: number) => (await api.alice.get(`/v1/contacts/${people[at]?.id}`)).body
    await visit('/contacts?search=tick')
    await untilSaid('3 contacts')
    const tick = async (at: number) => {
      await tabTo(`(e) => e.ariaLabel === 'Select ${emails[at]}'`)
      await page.press(' ')
    }
    await tick(0)
    await tick(1)
    await untilSaid('2 contacts selected')
    await press('Add to a topic')
    await page.until('document.querySelector("[role=dialog] select[name=topicId]")')
    await press('Add 2 contacts')
    await page.until('!document.querySelector("[role=dialog]")')
    await page.until('!document.body.innerText.includes("2 contacts selected")')
    const topics = await Promise.all([0, 1, 2].map(async (at) => (await read(at)).topics.length))
    expect([topics, (await read(0)).topics[0].topicId]).toEqual([[1, 1, 0], topic.id])
    await tick(0)
    await press('Unsubscribe')
    await press('Unsubscribe 1 contact')
    await page.until('document.querySelector("tbody").innerText.includes("Unsubscribed")')
    expect((await read(0)).emailStatus).toBe('unsubscribed')
    expect((await read(1)).emailStatus).toBe('active')
    await tick(1)
    await press('Delete')
    await press('Delete 1 contact')
    await untilSaid('2 contacts')
    expect((await api.alice.get(`/v1/contacts/${people[1]?.id}`)).status).toBe(404)
    expect(page.complaints).toEqual([])
  })

  test('a contact is unsubscribed after saying what that means', async () => {
    const { api, visit, press, untilSaid, page } = browser
    const { id } = await createContact(api.alice, { email: 'leaves@example.com' })
    await visit(`/contacts/${id}`)
    await press('Unsubscribe')
    await page.until('document.querySelector("[role=dialog]")')
    await press('Unsubscribe them')
    await untilSaid('leaves@example.com gets no more marketing mail')
    const { body } = await api.alice.get(`/v1/contacts/${id}`)
    expect(body.emailStatus).toBe('unsubscribed')
  })

  test('a file is uploaded, and its import is listed', async () => {
    const { api, visit, untilSaid, page } = browser
    await visit('/imports')
    await page.evaluate(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(['email,firstName\\nfile@example.com,File\\nno address,x\\n'], 'people.csv'))
      const field = document.querySelector('input[type=file]')
      field.files = files.files
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await untilSaid('just now')
    const { body } = await api.alice.get('/v1/contacts/imports')
    expect(body.data[0]).toMatchObject({ status: 'pending', format: 'csv', dryRun: false })
  })

  test('a mail shows its story, and its pictures only when somebody asks', async () => {
    const { api, visit, text, press, page, untilSaid } = browser
    const id = uuidv7()
    await insertMail(api.sql, {
      organizationId: api.alice.organizationId,
      bucket: dayBucket(id),
      id,
      connectionId: accountId,
      source: 'transactional',
      state: 'sent',
      status: 'bounced',
      recipient: 'grace@example.com',
      messageId: `m-${id}`,
    })
    await visit('/logs')
    await press('grace@example.com')
    await untilSaid('What became of it')
    expect(await text()).toContain('Bounced')
    expect(await page.evaluate('location.pathname')).toContain(id)
    logId = id
  })

  test('pages of contacts and accounts hold whatever is in them, light and dark, on a phone too', async () => {
    const { page, visit } = browser
    const found: Record<string, string[]> = {}
    const paths = [
      '/contacts',
      `/contacts/${contactId}`,
      '/imports',
      '/accounts',
      '/accounts/connect',
    ]
    for (const path of [...paths, `/accounts/${accountId}`, '/logs', `/logs/${logId}`]) {
      await visit(path)
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
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(page.complaints).toEqual([])
  })
})
