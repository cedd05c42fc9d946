import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { runMainJob } from '../../src/main/dev/main-job.ts'
import { sized } from '../support/size.ts'
import { startTestSystem } from '../support/system.ts'

/** The account of the main job. */
const ACCOUNT = '444455556666'
const REGION = 'eu-west-1'

let system: Awaited<ReturnType<typeof startTestSystem>>
beforeAll(async () => {
  system = await startTestSystem()
  // As at SES: mail that goes without a configuration set makes no events.
  await sandboxControl(system.sandboxUrl).putAccount(ACCOUNT, {
    region: REGION,
    eventsNeedConfigurationSet: true,
  })
})
afterAll(() => system.stop())

const warningsOf = async (token: string) => {
  const client = createClient({ baseUrl: system.apiUrl, token })
  const { connections } = await client.get('/v1/connections')
  return connections.map(({ warnings }) => warnings)
}

it('every mail names the configuration set, without which there would be no event', async () => {
  const { checks, apiKey } = await runMainJob(system, { contacts: sized(30, 150), rate: 100 })
  for (const { what, expected: wanted, actual: found } of checks) expect(found, what).toBe(wanted)
  expect(await warningsOf(apiKey)).toEqual([[]])
}, 300_000)

it('a set that is deleted in the middle of a batch costs no mail, and is warned of', async () => {
  const sandbox = sandboxControl(system.sandboxUrl)
  let removed: Promise<unknown> | undefined
  const { checks, apiKey } = await runMainJob(system, {
    contacts: sized(50, 250),
    rate: sized(10, 40),
    onProgress: ({ sent }) => {
      if (sent === 0) return
      // The identity has another one by itself: events go on.
      removed ??= sandbox.putAccount(ACCOUNT, {
        configurationSets: [],
        eventsNeedConfigurationSet: false,
      })
    },
  })
  expect(removed).toBeDefined()
  for (const { what, expected: wanted, actual: found } of checks) expect(found, what).toBe(wanted)
  expect(await warningsOf(apiKey)).toEqual([['no_configuration_set']])
}, 300_000)
