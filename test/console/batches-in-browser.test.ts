import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { connectAccount, createBatch, createContact, freeze, insertMail } from '../support/api.ts'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts'
import { pageFaults } from '../support/readable-pages.ts'

/** State, status and reason of each recipient's mail. */
const ROWS = [
  ['sent', 'delivered'],
  ['sent', 'opened'],
  ['failed', 'failed', 'message_rejected'],
  ['failed', 'failed', 'message_rejected'],
  ['skipped', 'opted_out', 'unsubscribed'],
  ['unknown', 'pending'],
  ['queued', 'queued'],
  ['queued', 'queued'],
] as const
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  let connectionId: Uuid
  let batchId: Uuid
  beforeAll(async () => {
    browser = await openConsole()
    const { api } = browser
    connectionId = (await connectAccount(api.alice)).connectionId
    for (const n of [1, 2, 3]) {
      await createContact(api.alice, { email: `c${n}@example.com`, firstName: HOSTILE })
    }
    batchId = await frozenBatch('November news')
    await browser.signIn()
  })
  afterAll(() => browser.close())

  async function frozenBatch(name: string): Promise<Uuid> {
    const { api } = browser
    const { id } = await createBatch(api.alice, { name, subject: HOSTILE })
    const bucket = batchBucket()
    await freeze(api.sql, id, bucket, ROWS.length)
    for (const [seq, [state, status, reason]] of ROWS.entries()) {
      await insertMail(api.sql, {
        organizationId: api.alice.organizationId,
        bucket,
        id: batchRowId(bucket, seq),
        connectionId,
        batchId: id,
        state,
        status,
        ...(reason === undefined ? {} : { reason }),
        ...(state === 'unknown' ? { claimId: uuidv7() } : {}),
        recipient: `r${seq}@example.com`,
      })
    }
    await api.sql`
      update batches
      set sent = 2, delivered = 1, opened = 1, failed = 2, skipped = 1, unknown = 1
      where id = ${id}`
    return id
  }
  const figures = () =>
    browser.page.evaluate<Record<string, number>>(`Object.fromEntries(
      [...document.querySelectorAll('.part-figure')].map((each) => [
        each.querySelector('dt').innerText,
        Number(each.querySelector('dd').innerText.replaceAll(',', '')),
      ]),
    )`)
  const sum = (parts: Record<string, number>) =>
    Object.values(parts).reduce((all, each) => all + each, 0)

  test('the page of a batch that is being sent: its figures add up, and follow by themselves', async () => {
    const { api, page, visit, text } = browser
    await visit(`/batches/${batchId}`)
    expect(await text()).toContain('Sending: 2 of 8 mails have left.')
    expect(await text()).toContain('Everybody who may be mailed')
    expect(await figures()).toEqual({ Sent: 2, Failed: 2, Skipped: 1, 'In doubt': 1, Open: 2 })
    await api.sql`update batches set sent = 4, unknown = 0, updated_at = now() where id = ${batchId}`
    await page.until('document.querySelector(".part-figure dd").innerText === "4"')
    const after = await figures()
    expect([after, sum(after)]).toEqual([{ Sent: 4, Failed: 2, Skipped: 1, Open: 1 }, 8])
  })

  test('says why somebody did not get it, and who that was', async () => {
    const { visit, text, press, page, untilSaid } = browser
    await visit(`/batches/${batchId}`)
    await untilSaid('AWS refused the mail')
    const table = () =>
      page.evaluate<string>('document.querySelector("#recipients").closest("section").innerText')
    expect(await text()).toContain('They have unsubscribed')
    await press('Show who: AWS refused the mail')
    await untilSaid('Only: AWS refused the mail')
    await page.until('!document.body.innerText.includes("r0@example.com")')
    expect(await table()).toMatch(/2 recipients[\s\S]*r2@example\.com[\s\S]*r3@example\.com/)
    // The address has it, so that it can be sent to somebody.
    expect(await page.evaluate('location.search')).toBe('?status=failed&reason=message_rejected')
  })

  test('pauses and resumes by keyboard, and cancels after saying what will happen', async () => {
    const { visit, press, untilSaid, page } = browser
    const id = await frozenBatch('To be cancelled')
    await visit(`/batches/${id}`)
    await press('Pause')
    await untilSaid('Paused after 2 of 8 mails')
    await press('Resume')
    await untilSaid('Sending: 2 of 8 mails')
    await press('Cancel')
    await page.until('document.querySelector("[role=dialog]")')
    await untilSaid('2 mails have left and cannot be called back. 2 recipients will not be mailed.')
    await press('Cancel the batch')
    await untilSaid('Cancelled after 2 mails.')
    expect(await figures()).toEqual({
      Sent: 2,
      Failed: 2,
      Skipped: 1,
      'In doubt': 1,
      'Not sent': 2,
    })
  })

  test('sends again to those who failed, and to nobody else', async () => {
    const { api, visit, press, untilSaid, page } = browser
    await api.sql`
      update batches
      set status = 'completed', sent = 5, failed = 2, skipped = 1, unknown = 0, completed_at = now()
      where id = ${batchId}`
    const contact = await createContact(api.alice, { email: 'failed@example.com' })
    await api.sql`update messages set contact_id = ${contact.id} where batch_id = ${batchId} and state = 'failed' and recipient = 'r2@example.com'`
    await visit(`/batches/${batchId}`)
    await press('Send again to 2 people')
    await untilSaid('Send again to the 2 who failed?')
    await page.until('document.querySelector("[role=dialog]")')
    await press('Send again to 2 people')
    await page.until(`!location.pathname.endsWith('${batchId}')`)
    const id = await page.evaluate<string>('location.pathname.split("/").at(-1)')
    const { body } = await api.alice.get(`/v1/batch/${id}`)
    expect(body.audience).toEqual({ type: 'contacts', contactCount: 1 })
  })

  test('a batch is written, reviewed and sent by keyboard alone, and a reload loses nothing', async () => {
    const { api, visit, fill, press, untilSaid, page } = browser
    await visit('/batches/new')
    // What is missing is where the button leads.
    await press('Review')
    await page.until('document.activeElement?.name === "subject"')
    await fill('subject', 'Hello {{ contact.firstName }}')
    await fill('from', 'news@example.com')
    await page.go(await page.evaluate<string>('location.href'))
    await page.until('document.querySelector("input[name=subject]")?.value.startsWith("Hello")')
    await untilSaid('people get it')
    await press('Review')
    await untilSaid('4 people get the mail')
    await press('Send to 4 people')
    await page.until('/batches\\/[0-9a-f-]{36}$/.test(location.pathname)')
    const id = await page.evaluate<string>('location.pathname.split("/").at(-1)')
    const { body } = await api.alice.get(`/v1/batch/${id}`)
    expect(body).toMatchObject({ subject: 'Hello {{ contact.firstName }}', status: 'queued' })
    await visit('/batches/new')
    expect(await page.evaluate('document.querySelector("input[name=subject]").value')).toBe('')
  })

  test('a draft is stored by itself, found on another device, and gone once it was sent', async () => {
    const { api, visit, fill, press, untilSaid, page } = browser
    const drafts = async () => (await api.alice.get('/v1/batch-drafts')).body.data
    for (const { id } of await drafts()) await api.alice.delete(`/v1/batch-drafts/${id}`)
    await page.evaluate('sessionStorage.clear()')
    await visit('/batches/new')
    await fill('subject', 'Written on a train')
    await fill('from', 'news@example.com')
    await untilSaid('The draft is stored.')
    // A new batch is another one.
    await press('Batches')
    await press('New batch')
    await page.until('document.querySelector("input[name=subject]")?.value === ""')
    await page.evaluate('sessionStorage.clear()')
    await visit('/batches')
    await press('Written on a train')
    await page.until(
      'document.querySelector("input[name=subject]")?.value === "Written on a train"',
    )
    expect(await page.evaluate('document.querySelector("input[name=from]").value')).toBe(
      'news@example.com',
    )
    await fill('subject', 'Written at home')
    await untilSaid('The draft is stored.')
    const [draft] = await drafts()
    expect(draft.subject).toBe('Written at home')
    // Somebody else goes on with it, too: nobody is overwritten without being told.
    await api.alice.patch(`/v1/batch-drafts/${draft.id}`, { input: { subject: 'Of a colleague' } })
    await fill('subject', 'Mine')
    await untilSaid('Somebody else has changed this draft while you wrote')
    // The Tab key of a headless browser does not come out of the frame with the preview.
    await page.evaluate('document.querySelector("h1").focus()')
    await press('Keep mine')
    await untilSaid('The draft is stored.')
    await untilSaid('people get it')
    await press('Review')
    await press('Send to 4 people')
    await page.until('/batches\\/[0-9a-f-]{36}$/.test(location.pathname)')
    await expect.poll(drafts).toEqual([])
    page.complaints.length = 0
  })

  test('a draft of a program that the page would cut short is not opened for writing', async () => {
    const { api, visit, press, text, untilSaid, page } = browser
    const input = { name: 'By a program', audienceType: 'contacts', contactIds: [batchId] }
    const { body } = await api.alice.post('/v1/batch-drafts', { input })
    await visit('/batches')
    await press('By a program')
    await untilSaid('It has parts that this page has no field for: audienceType, contactIds.')
    expect(await text()).not.toContain('Who gets it')
    await api.alice.delete(`/v1/batch-drafts/${body.id}`)
    expect(page.complaints).toEqual([])
  })

  test('with several accounts somebody chooses which one the mails leave through', async () => {
    const { api, visit, fill, press, page, untilSaid } = browser
    const other = await connectAccount(api.alice, { accountId: '999988887777', name: 'Other' })
    await visit('/batches/new')
    await fill('subject', 'News')
    await fill('from', 'news@example.com')
    await page.until('document.querySelector("select[name=cloudAccountId]")')
    await page.evaluate(`(() => {
      const choice = document.querySelector('select[name=cloudAccountId]')
      choice.value = '${other.connectionId}'
      choice.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await untilSaid('people get it')
    await press('Review')
    await press('Send to 4 people')
    await page.until('/batches\\/[0-9a-f-]{36}$/.test(location.pathname)')
    const id = await page.evaluate<string>('location.pathname.split("/").at(-1)')
    const { body } = await api.alice.get(`/v1/batch/${id}`)
    expect(body.cloudAccountId).toBe(other.connectionId)
    await api.alice.delete(`/v1/connections/${other.connectionId}`)
    page.complaints.length = 0
  })

  test('a hostile mail shows in its frame, and nothing of it runs or leaves', async () => {
    const { visit, fill, page, untilSaid, origin } = browser
    const asked = page.requested.length
    await visit('/batches/new')
    await fill('subject', HOSTILE)
    await fill('from', 'news@example.com')
    await fill(
      'html',
      `<meta http-equiv="refresh" content="0; url=https://evil.example/"><p style="position:fixed;inset:0">Held</p>
       <form action="https://evil.example/"><button>x</button></form><iframe src="https://evil.example/"></iframe>${HOSTILE}`,
    )
    await untilSaid('people get it')
    await page.until('document.querySelector("iframe")')
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    const foreign = page.requested
      .slice(asked)
      .filter((url) => !url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url))
    expect(foreign.filter((url) => url.includes('evil'))).toEqual([])
    expect(await page.evaluate('location.pathname.endsWith("/batches/new")')).toBe(true)
    page.complaints.length = 0
  })

  test('pages of batches can be read and used, light and dark, on a desktop and a phone', async () => {
    const { page, visit } = browser
    const found: Record<string, string[]> = {}
    for (const path of ['/batches', `/batches/${batchId}`, '/batches/new']) {
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
    expect(page.complaints).toEqual([])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  })
})
