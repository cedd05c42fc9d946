import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, allMailed, connectSender, importPeople } from '../support/cohorts.ts'
import { tokenOf } from '../support/confirmations.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

let system: Awaited<ReturnType<typeof startTestSystem>>
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

it('who subscribes gets a mail whose link, opened, does nothing, and whose button subscribes', async () => {
  const sender = await connectSender(system, 100)
  const sandbox = sandboxControl(system.sandboxUrl)
  const { pendingTopics } = await sender.client.post('/v1/contacts', {
    body: { email: 'ada@example.com', topicIds: [sender.topicId] },
  })
  expect(pendingTopics).toEqual([sender.topicId])
  const [mail] = await until(async () => {
    const mails = await acceptedBy(system, sender)
    return mails.length > 0 && mails
  })
  expect(mail).toMatchObject({ recipient: 'ada@example.com', subject: 'Please confirm: Cats' })
  const { html, text, headers } = await sandbox.mail(mail!.id)
  const link = `${system.apiUrl}/confirm/${tokenOf(text ?? '')}`
  expect(html).toContain(`href="${link}"`)
  expect(headers.map(({ name }) => name.toLowerCase())).not.toContain('list-unsubscribe')

  const topic = async () =>
    sender.client.get('/v1/topics/{id}', { params: { path: { id: sender.topicId } } })
  const browser = { accept: 'text/html' }
  for (let times = 0; times < 3; times++) {
    const page = await fetch(link, { headers: browser })
    expect([page.status, (await page.text()).includes('<form method="post"')]).toEqual([200, true])
  }
  expect(await topic()).toMatchObject({ subscribedCount: 0, pendingCount: 1 })
  for (let times = 0; times < 2; times++) {
    const answer = await fetch(link, { method: 'POST' })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { success: true, message: 'You are subscribed' },
    ])
  }
  expect(await topic()).toMatchObject({ subscribedCount: 1, pendingCount: 0 })
}, 60_000)

it('an import mails each once, at the account’s rate, through two kills', async () => {
  const people = sized(1_200, 2_000)
  const rate = sized(150, 250)
  const sender = await connectSender(system, rate)
  await importPeople(system, sender, people)
  const mailed = allMailed(system, sender, people)
  for (let kills = 0; kills < 2; kills++) {
    await sleep(700)
    await killAndWait(system.worker)
  }
  const { sentMs, ...figures } = await mailed
  expect(figures).toMatchObject({
    mails: people,
    people,
    sent: people,
    pending: people,
    mailed: people,
    accepted: people,
    unique: people,
    duplicates: 0,
  })
  // No faster than the limiter lets it: a second's burst and what was sent before we looked.
  expect(sentMs).toBeGreaterThan((people / rate - 4) * 1_000)
}, 240_000)
