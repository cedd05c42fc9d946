/**
 * An operator's session in the Temporal UI, in a browser without a window: finds a contact's run,
 * sees why it stopped, retries it, cancels one and terminates another; then asks the API.
 *
 *   npm run build && npx tsx test/bench/operator-session.ts <folder for screenshots>
 *
 * The whole system runs for it and is thrown away afterwards. Clicks are counted from the list of
 * workflows that is filtered by the contact.
 */
import { mkdir, mkdtemp, chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { connectSandbox, SENDER, startSystem } from '../../src/main/system.ts'
import { chromium, openPage } from '../support/browser.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts } from '../support/seed.ts'

const [screens = join(tmpdir(), 'letterloom-screens')] = process.argv.slice(2)
const REFLECTED_MS = 60_000
/** For what is drawn after the page says that it is there. */
const DRAWN_MS = 1_500
const say = (line: string): void => void process.stdout.write(`${line}\n`)
if (chromium === undefined) throw new Error('there is no Chromium on this machine')
await mkdir(screens, { recursive: true })

const folder = await mkdtemp(join(tmpdir(), 'letterloom-operator-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say)
const page = await openPage(chromium, 'about:blank')
let clicks = 0
/** Of the last click. */
let clickedAt = performance.now()

try {
  await page.look({ width: 1_400 })
  const { sql, apiUrl } = system
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Cats Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: apiUrl, token: key })
  const [failing = '', sleeping = '', unwanted = ''] = await seedContacts(sql, organizationId, 3)
  const mail = await seedFlow(sql, organizationId, {
    steps: [
      { id: 'note', type: 'update_contact', config: { set: { 'properties.greeted': true } } },
      {
        id: 'mail',
        type: 'send_email',
        name: 'Welcome mail',
        config: { subject: 'Welcome', html: '<p>Hello</p>', from: SENDER },
      },
    ],
  })
  const week = await seedFlow(sql, organizationId, {
    steps: [{ id: 'rest', type: 'delay', name: 'Rest', config: { amount: 1, unit: 'weeks' } }],
  })
  const [failed = ''] = await seedExecutions(sql, mail, [failing], { isEnqueued: true })
  const resting = await seedExecutions(sql, week, [sleeping, unwanted], { isEnqueued: true })
  const [toCancel = '', toTerminate = ''] = resting
  const statusOf = async (id: string) => {
    const params = { path: { executionId: id } }
    const { status, reason } = await client.get('/v1/workflows/executions/{executionId}', {
      params,
    })
    return reason === null ? status : `${status}: ${reason}`
  }
  const becomes = async (id: string, wanted: string): Promise<void> => {
    while ((await statusOf(id)) !== wanted) {
      if (performance.now() - clickedAt > REFLECTED_MS) {
        throw new Error(`the API says ${await statusOf(id)}, not ${wanted}`)
      }
      await sleep(100)
    }
    const seconds = ((performance.now() - clickedAt) / 1_000).toFixed(1)
    say(`  ${clicks} clicks; the API says "${wanted}" within ${seconds} s`)
  }
  await becomes(failed, 'failed: no_account')
  await becomes(toCancel, 'paused')

  say('why did it stop?')
  await find(failing)
  await click('a', 'execution/')
  await page.until(`document.body.innerText.includes('Welcome mail')`)
  await shot('why')
  say(`  ${clicks} clicks`)

  say('retry')
  await connectSandbox(system, client, {
    accountId: '123456789012',
    maxSendRate: 100,
    max24Hour: 10_000,
  })
  clicks = 0
  await click('button', 'More Actions')
  await shot('more-actions')
  await click('[role=menuitem]', 'Start Workflow Like This One')
  await page.until(`document.querySelector('#workflowId')?.value.startsWith('execution/')`)
  await shot('start-like-this-one')
  await click('button', 'Start Workflow')
  await becomes(failed, 'completed')
  await find(failing)
  await shot('retried')

  say('cancel')
  await find(sleeping)
  await click('a', 'execution/')
  await click('button', 'Request Cancellation')
  await shot('cancel')
  await click('button', 'Confirm')
  await becomes(toCancel, 'cancelled: stopped_by_operator')

  say('terminate')
  await find(unwanted)
  await click('a', 'execution/')
  await click('button', 'More Actions')
  await click('[role=menuitem]', 'Terminate')
  await shot('terminate')
  await click('button', 'Terminate')
  await becomes(toTerminate, 'cancelled: stopped_by_operator')
  say(`screenshots are in ${screens}`)
} finally {
  await page.close()
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

/** The list of a contact's runs. */
async function find(contactId: string): Promise<void> {
  const query = encodeURIComponent(`ContactId="${contactId}"`)
  await page.go(`${system.temporalUiUrl}/namespaces/default/workflows?query=${query}`)
  await page.until(
    `[...document.querySelectorAll('a')].some((a) => a.innerText.includes('execution/'))`,
  )
  clicks = 0
}

/** The last that is drawn and begins with these words: a dialog lies over what it asks about. */
async function click(selector: string, words: string): Promise<void> {
  const found = `[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((each) => each.getClientRects().length > 0)
    .filter((each) => each.textContent.trim().startsWith(${JSON.stringify(words)}))
    .at(-1)`
  await page.until(found)
  await sleep(DRAWN_MS)
  await page.evaluate(`${found}.click()`)
  clickedAt = performance.now()
  await sleep(DRAWN_MS)
  clicks++
}

async function shot(name: string): Promise<void> {
  await sleep(DRAWN_MS)
  await writeFile(join(screens, `${name}.png`), await page.screenshot())
}
