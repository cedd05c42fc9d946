import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash, type Link, type LinkKind, signLink } from '../../src/keys/tokens.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function tokenOf(kind: LinkKind, changes: Partial<Link> = {}) {
  const email = `ada-${uuidv7()}@example.com`
  const { organizationId } = api.alice
  const { id: contactId } = await createContact(api.alice, { email })
  const link = { organizationId, contactId, addressHash: addressHash(organizationId, email) }
  return { contactId, token: signLink(api.deps.keyring, kind, { ...link, ...changes }) }
}
const get = (path: string) => inject(api.app, { url: path, headers: { accept: 'text/html' } })
const inAYear = () => api.deps.now() + 365 * 86_400_000

describe.each(['.', ').', '>', ',', '…', '。', '"', '_', '-', '*', "'!", '&', ' '])(
  'with %s behind it a link of ours',
  (mark) => {
    const behind = encodeURIComponent(mark)

    test('shows its page, whose form has the bare token, and unsubscribes', async () => {
      const { contactId, token } = await tokenOf('unsubscribe', { batchId: uuidv7() })
      const page = await get(`/unsubscribe/${token}${behind}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain(`action="https://mail.example.com/unsubscribe/${token}"`)
      const url = `/unsubscribe/${token}${behind}`
      expect((await inject(api.app, { method: 'POST', url })).status).toBe(200)
      const { body } = await api.alice.get(`/v1/contacts/${contactId}`)
      expect(body.emailStatus).toBe('unsubscribed')
    })

    test('leads to preferences', async () => {
      const { token } = await tokenOf('preferences', { expiresAt: inAYear() })
      expect((await get(`/preferences/${token}${behind}`)).status).toBe(200)
    })

    test('is known to be over, not forged, where it confirms', async () => {
      const { token } = await tokenOf('confirm', {
        topicId: uuidv7(),
        generation: 1,
        expiresAt: inAYear(),
      })
      expect((await get(`/confirm/${token}`)).status).toBe(410)
      expect((await get(`/confirm/${token}${behind}`)).status).toBe(410)
    })
  },
)

test('a link that is cut, or followed by a letter, a digit or a sentence, is invalid', async () => {
  const { token } = await tokenOf('unsubscribe')
  for (const wrong of [
    `${token}A`,
    `${token}.a`,
    `${token}9`,
    `${token}é`,
    `${token}${'.'.repeat(9)}`,
    `${token.slice(0, -1)}.`,
    token.slice(0, -1),
  ]) {
    expect((await get(`/unsubscribe/${encodeURIComponent(wrong)}`)).status).toBe(400)
  }
})

test('punctuation makes no new token for the limit of a token', async () => {
  const { token } = await tokenOf('unsubscribe')
  const ask = async (behind: string) => (await get(`/unsubscribe/${token}${behind}`)).headers
  const left = async (behind: string) => Number((await ask(behind))['ratelimit-remaining'])
  const [bare, dotted] = [await left(''), await left('.')]
  expect(dotted).toBe(bare - 1)
})
