import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Step } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { connectAccount, createContact } from '../support/api.ts'
import { chromium } from '../support/browser.ts'
import { type ConsoleBrowser, openConsole, pageFindings } from '../support/console-browser.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'

const STEPS: Step[] = [
  { id: 'hello', type: 'delay', name: 'Say hello', config: { amount: 1, unit: 'days' } },
  { id: 'end', type: 'exit', name: 'The end', config: { outcome: 'completed' } },
]

describe.runIf(chromium !== undefined)('in a browser', () => {
  let browser: ConsoleBrowser
  let flowId: Uuid
  let failedId: Uuid
  let segmentId: string
  beforeAll(async () => {
    browser = await openConsole()
    const { api } = browser
    const { organizationId } = api.alice
    await connectAccount(api.alice)
    const contacts: Uuid[] = []
    for (const [n, renewsAt] of ['2026-11-26', '11/26/2026', 'soon'].entries()) {
      const email = `c${n}@example.com`
      const properties = { plan: n === 0 ? 'pro' : 'free', renewsAt }
      contacts.push((await createContact(api.alice, { email, properties })).id)
    }
    flowId = await seedFlow(api.sql, organizationId, { steps: STEPS, name: 'Welcome' })
    const [first, second] = contacts
    await seedExecution(api.sql, organizationId, { flowId, contactId: first!, status: 'paused' })
    failedId = await seedExecution(api.sql, organizationId, {
      flowId,
      contactId: second!,
      status: 'failed',
    })
    await api.sql`
      update executions set step_id = 'hello', visit = 1, started_at = created_at
      where flow_id = ${flowId}`
    await api.sql`
      update executions set reason = 'missing_value', error = '"contact.firstName" has no value'
      where id = ${failedId}`
    await api.sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type, status,
        reason, error, started_at, finished_at)
      values (${organizationId}, ${failedId}, 'hello', 1, 1, 'delay', 'failed', 'missing_value',
        '"contact.firstName" has no value', now(), now())`
    const segment = await api.alice.post('/v1/segments', {
      name: 'Pro',
      condition: {
        logic: 'AND',
        groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
      },
    })
    segmentId = segment.body.id
    await browser.signIn()
  })
  afterAll(() => browser.close())

  /** Chooses in a list of choices, as a person does who has no mouse. */
  async function choose(label: string, value: string): Promise<void> {
    const { page, tabTo } = browser
    await tabTo(`(e) => e.matches('select') && e.getAttribute('aria-label') === '${label}'`)
    await page.evaluate(`(() => {
      const choice = document.activeElement
      const set = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set
      set.call(choice, '${value}')
      choice.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
  }

  test('a segment is described, counted while it is, and saved', async () => {
    const { api, visit, fill, untilSaid, press, tabTo, page, text } = browser
    await visit('/segments/new')
    await untilSaid('Contacts where the email status is "active".')
    await untilSaid('c0@example.com')
    await choose('Field', 'properties.')
    await untilSaid('Still to do')
    await tabTo(`(e) => e.getAttribute('aria-label') === 'Property'`)
    await page.type('plan')
    await tabTo(`(e) => e.getAttribute('aria-label') === 'Value'`)
    await page.type('free')
    await untilSaid('Contacts where the property "plan" is "free".')
    await page.until('document.querySelector(".big-figure")?.innerText === "2"')
    expect(await text()).not.toContain('c0@example.com')
    await fill('name', 'Free plan')
    // What was typed is there after a reload.
    await visit('/segments/new')
    await untilSaid('Contacts where the property "plan" is "free".')
    await press('Save the segment')
    await page.until('/segments\\/[0-9a-f-]{36}$/.test(location.pathname)')
    await untilSaid('2 people')
    const { body } = await api.alice.get('/v1/segments?search=Free')
    expect(body.segments[0]).toMatchObject({ name: 'Free plan', memberCount: 2 })
  })

  test('values that a filter cannot read are shown', async () => {
    const { api, visit, untilSaid } = browser
    const { body } = await api.alice.post('/v1/segments', {
      name: 'Renews',
      condition: {
        logic: 'AND',
        groups: [
          {
            filters: [
              { field: 'properties.renewsAt', operator: 'withinNext', value: 900, unit: 'days' },
            ],
          },
        ],
      },
    })
    await visit(`/segments/${body.id}`)
    await untilSaid('2 contacts have values in “renewsAt” that cannot be read')
    await untilSaid('“11/26/2026”')
    expect(browser.page.complaints).toEqual([])
  })

  test('a workflow is written from its trigger down, saved and enabled', async () => {
    const { api, visit, fill, press, untilSaid, page } = browser
    await visit('/workflows/new')
    await untilSaid('Still to do: Give it a name.')
    await fill('name', 'Reminder')
    await fill('eventName', 'signed_up')
    const add = async (after: string, type: string): Promise<void> => {
      await press(`Add a step after ${after}`)
      await page.until('document.querySelector("[role=menu]")')
      for (let pressed = 0; pressed < 20; pressed++) {
        const isThere = `document.activeElement.textContent.trim() === ${JSON.stringify(type)}`
        if (await page.evaluate<boolean>(isThere)) break
        await page.press('ArrowDown')
      }
      await page.press('Enter')
      await page.until('!document.querySelector("[role=menu]")')
    }
    await add('the trigger', 'Wait')
    await fill('amount', '2')
    await add('“Wait”', 'Decide')
    await untilSaid('Whoever is like this goes on with “Yes”')
    await add('“Decide”, yes', 'End here')
    await press('Save the workflow')
    await page.until('/workflows\\/[0-9a-f-]{36}$/.test(location.pathname)')
    const id = await page.evaluate<string>('location.pathname.split("/").at(-1)')
    const { body } = await api.alice.get(`/v1/workflows/${id}`)
    expect(body).toMatchObject({ name: 'Reminder', enabled: false, triggerType: 'event' })
    expect(body.steps.map(({ type }: Step) => type)).toEqual(['delay', 'condition', 'exit'])
    await press('Enable')
    await page.until('document.querySelector("[role=dialog]")')
    await untilSaid('Starts when the event “signed_up” comes.')
    await press('Enable it')
    await untilSaid('Enabled: its trigger starts executions')
    expect((await api.alice.get(`/v1/workflows/${id}`)).body.enabled).toBe(true)
  })

  test('the map and the list say how many are at each step', async () => {
    const { visit, untilSaid, press, page, text } = browser
    await page.look({ width: 1_280 })
    await visit(`/workflows/${flowId}`)
    await page.until('document.querySelector(".map-step")')
    await untilSaid('1 person here')
    expect(await text()).toContain('1 failed')
    await press('List')
    await page.until('document.querySelector(".flow-step")')
    await untilSaid('1 person here')
    expect(page.complaints).toEqual([])
  })

  test('a failed execution says why, and goes on from the step that failed', async () => {
    const { api, visit, press, untilSaid, page } = browser
    await visit(`/executions/${failedId}`)
    await untilSaid('Failed at “Say hello”: it can go on from there')
    await untilSaid('"contact.firstName" has no value')
    await press('Retry from the failed step')
    await page.until('document.querySelector("[role=dialog]")')
    await press('Retry from “Say hello”')
    await untilSaid('It goes on from the step that failed')
    const { body } = await api.alice.get(`/v1/workflows/executions/${failedId}`)
    expect(body).toMatchObject({ status: 'pending', attempt: 2 })
    await press('Cancel')
    await page.until('document.querySelector("[role=dialog]")')
    await press('Cancel the execution')
    await untilSaid('The execution is cancelled')
  })

  test('pages hold whatever is in them, light and dark, on a phone too', async () => {
    const paths = [
      '/segments',
      '/segments/new',
      `/segments/${segmentId}`,
      '/workflows',
      '/workflows/new',
      `/workflows/${flowId}`,
      `/workflows/${flowId}/edit`,
      `/executions/${failedId}`,
    ]
    expect(await pageFindings(browser, paths)).toEqual({})
  })
})
