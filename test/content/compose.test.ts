import { expect, it } from 'vitest'
import { compose, linksOf } from '../../src/core/content/compose.ts'
import { timeOf, uuidv7 } from '../../src/runtime/ids.ts'
import { RenderError } from '../../src/mail/render.ts'
import { newKeyringText, parseKeyring, readLink, readUnsubscribe } from '../../src/keys/tokens.ts'

const SOURCES = ['batch', 'workflow', 'transactional', 'confirmation', 'notice'] as const
const sender = { from: { address: 'news@example.com', name: 'News, Ltd' }, replyTo: null }
const rendered = { subject: 'News', html: '<p>News</p>', text: 'News' }
const email = 'ada@example.com'
const unsubscribeUrl = 'https://mail.example.com/unsubscribe/token'

it.each(SOURCES)('mail of %s is from its sender and to its recipient', async (source) => {
  const made = await compose(source, sender, { rendered, isMarketing: false }, { email })
  const headers = source === 'notice' ? [{ name: 'Auto-Submitted', value: 'auto-generated' }] : []
  const from = '"News, Ltd" <news@example.com>'
  expect(made).toEqual({ mail: { from, replyTo: null, to: email, ...rendered, headers } })
})

it.each(SOURCES)(
  'one click unsubscribes from marketing mail of %s, from no other',
  async (source) => {
    const headersOf = async (isMarketing: boolean) => {
      const content = { rendered: Promise.resolve(rendered), isMarketing }
      const made = await compose(source, sender, content, { email, unsubscribeUrl })
      return 'mail' in made ? made.mail.headers.map(({ name }) => name) : []
    }
    expect(await headersOf(true)).toEqual(
      expect.arrayContaining(['List-Unsubscribe', 'List-Unsubscribe-Post']),
    )
    expect((await headersOf(false)).join()).not.toContain('List-Unsubscribe')
  },
)

it('marketing mail without a link is never made', async () => {
  const content = { rendered, isMarketing: true }
  await expect(compose('batch', sender, content, { email })).rejects.toThrow(RangeError)
})

it('an empty subject is refused, but of batches', async () => {
  const content = { rendered: { ...rendered, subject: '' }, isMarketing: false }
  const made = await Promise.all(
    SOURCES.map((source) => compose(source, sender, content, { email })),
  )
  const [ofBatch, ...others] = made.map((each) => ('failed' in each ? each.failed.reason : 'made'))
  expect(ofBatch).toBe('made')
  expect(new Set(others)).toEqual(new Set(['bad_subject']))
})

it.each([
  { ...sender, from: { address: 'a@example.com, b@example.com', name: null } },
  { ...sender, from: { address: 'a@example.com', name: 'A\r\nBcc: b@example.com' } },
  { ...sender, replyTo: 'a@example.com\r\nBcc: b@example.com' },
])('a sender that is not one mailbox is refused: %j', async (bad) => {
  const made = await compose('workflow', bad, { rendered, isMarketing: false }, { email })
  expect(made).toMatchObject({ failed: { reason: 'bad_sender' } })
})

it('a mail that cannot be rendered is refused; an error that is not its fault is thrown', async () => {
  const making = (error: Error) =>
    compose('workflow', sender, { rendered: Promise.reject(error), isMarketing: false }, { email })
  expect(await making(new RenderError('missing_value', 'No name'))).toEqual({
    failed: { reason: 'missing_value', error: 'No name' },
  })
  await expect(making(new Error('overloaded'))).rejects.toThrow('overloaded')
})

it('links name the person, the address, the topic and the batch', () => {
  const keyring = parseKeyring(newKeyringText())
  const [organizationId, contactId, topicId] = [uuidv7(), uuidv7(), uuidv7()]
  const batchId = uuidv7()
  const deps = { keyring, publicUrl: 'https://mail.example.com' }
  const said = (more: { topicId: string | null; batchId?: string }) => {
    const links = linksOf(deps, { organizationId, contactId, email, ...more }, timeOf(batchId))
    const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
    return [
      readUnsubscribe(keyring, tokenOf(links.unsubscribeUrl)),
      readLink(keyring, 'preferences', tokenOf(links.preferencesUrl), Date.now()),
    ]
  }
  const person = { organizationId, contactId }
  expect(said({ topicId, batchId })).toMatchObject([{ ...person, topicId, batchId }, person])
  const [bare] = said({ topicId: null })
  expect(bare).not.toHaveProperty('topicId')
  expect(bare).not.toHaveProperty('batchId')
})
