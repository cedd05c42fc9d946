import { expect, test } from 'vitest'
import { batchMails } from '../../activities/batches/batch-mails.ts'
import type { JobSource } from '../../activities/calls.ts'
import { batchBucket, batchRowId, timeOf, uuidv7 } from '../../src/runtime/ids.ts'
import { readPreferences } from '../../src/keys/preferences-links.ts'
import {
  addressHash,
  newKeyringText,
  parseKeyring,
  readUnsubscribe,
} from '../../src/keys/tokens.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import { brandWith } from '../support/brands.ts'

const DAY_MS = 86_400_000
const keyring = parseKeyring(newKeyringText())
const organizationId = uuidv7()
const batchId = uuidv7()
const bucket = batchBucket()
const recipient = {
  id: batchRowId(bucket, 0),
  contactId: uuidv7(),
  externalId: null,
  email: 'ada@example.com',
  phone: null,
  firstName: 'Ada',
  lastName: null,
  company: null,
  jobTitle: null,
  properties: {},
  variant: null,
}

const jobOf = async (source: JobSource | undefined) =>
  typeof source === 'function' ? source() : source

function mailsOf(topicId: string | null, contentHtml: string, renderer?: Renderer) {
  return batchMails({
    keyring,
    publicUrl: 'https://mail.example.com',
    ...(renderer && { renderer }),
  })({
    organizationId,
    batchId,
    batch: {
      bucket,
      connectionId: uuidv7(),
      contentId: uuidv7(),
      contentHtml,
      contentText: 'News',
      subject: 'News',
      previewText: null,
      fromAddress: 'news@example.com',
      fromName: null,
      replyTo: null,
      variableMappings: [],
      brand: brandWith('Alice Ltd'),
      topicId,
      throttlePerSecond: null,
      isTest: false,
      unknownOutcome: 'fail',
    },
  })
}

async function mailOf(topicId: string | null, contentHtml = '<p>News</p>') {
  const [source] = mailsOf(topicId, contentHtml).jobs([recipient], Infinity)
  const job = await jobOf(source)
  if (!job || !('mail' in job)) throw new Error('the mail could not be made')
  return job.mail
}

const tokenIn = (text: string, page: string): string =>
  new RegExp(`https://mail\\.example\\.com/${page}/([\\w-]+)`).exec(text)?.[1] ?? ''

test('the one-click link of a topic’s mail names the topic, and that of other mail names none', async () => {
  const topicId = uuidv7()
  const said = {
    organizationId,
    batchId,
    contactId: recipient.contactId,
    addressHash: addressHash(organizationId, recipient.email),
  }
  for (const [mail, expected] of [
    [await mailOf(topicId), { ...said, topicId }],
    [await mailOf(null), said],
  ] as const) {
    const header = mail.headers.find(({ name }) => name === 'List-Unsubscribe')?.value ?? ''
    expect(readUnsubscribe(keyring, tokenIn(header, 'unsubscribe'))).toEqual(expected)
    expect(tokenIn(mail.html ?? '', 'unsubscribe')).toBe(tokenIn(header, 'unsubscribe'))
    expect(mail.headers).toContainEqual({
      name: 'List-Unsubscribe-Post',
      value: 'List-Unsubscribe=One-Click',
    })
  }
})

test('every mail ends with a link to preferences, which is the same for a year however often it is rendered', async () => {
  const mail = await mailOf(null)
  const token = tokenIn(mail.html ?? '', 'preferences')
  expect(tokenIn(mail.text ?? '', 'preferences')).toBe(token)
  expect((await mailOf(uuidv7())).html).toContain(token)
  const made = timeOf(bucket)
  expect(readPreferences(keyring, token, made + 364 * DAY_MS)).toMatchObject({
    organizationId,
    contactId: recipient.contactId,
  })
  expect(readPreferences(keyring, token, made + 366 * DAY_MS)).toBeUndefined()
})

test('a template places the links itself', async () => {
  const html = '<a href="{{ unsubscribeUrl }}">Leave</a> <a href="{{ preferencesUrl }}">Choose</a>'
  const made = (await mailOf(null, html)).html ?? ''
  expect(made.match(/\/unsubscribe\//g)).toHaveLength(1)
  expect(made.match(/\/preferences\//g)).toHaveLength(1)
})

test('a compiled content needs no thread until a mail of it is not certain', async () => {
  const inThread: string[] = []
  const renderer: Renderer = {
    ...processRenderer(),
    mails: (_, people) =>
      people.map(async ({ contact }) => {
        inThread.push(String(contact?.firstName))
        throw new RendererBusy()
      }),
  }
  const mails = mailsOf(null, '<p>{{ contact.firstName }} {{ contact.phone }}</p>', renderer)
  const firstNames = ['Ada', 'half of one \uD83D', 'Bob']
  const people = firstNames.map((firstName) => ({ ...recipient, phone: '1', firstName }))
  const [ada, half, bob] = mails.jobs(people, Infinity)
  expect(await jobOf(ada)).toMatchObject({ mail: { to: recipient.email } })
  expect(mails.needsThread()).toBe(false)
  // There was no time for it.
  expect(await jobOf(half)).toBeUndefined()
  expect(mails.needsThread()).toBe(true)
  expect(await jobOf(bob)).toMatchObject({
    mail: { html: expect.stringContaining('<p>Bob 1</p>') },
  })
  expect(inThread).toEqual([firstNames[1]])
})

test('a value that is missing fails its own mail', async () => {
  const [source] = mailsOf(null, '{{ contact.phone }}').jobs([recipient], Infinity)
  expect(await jobOf(source)).toMatchObject({
    id: recipient.id,
    failed: {
      reason: 'missing_value',
      error: '"contact.phone" has no value and no default',
    },
  })
})

test('a content that is not compiled needs a thread from the start', () => {
  expect(mailsOf(null, '{% for n in (1..9) %}{{ n }}{% endfor %}').needsThread()).toBe(true)
})
