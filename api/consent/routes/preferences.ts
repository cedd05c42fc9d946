import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed, addressedByHash } from '../../../src/keys/addresses.ts'
import type { Say, TextName } from '../../../src/domain/content/wording.ts'
import { refuse } from '../../../src/domain/errors.ts'
import { readPreferences } from '../../../src/keys/preferences-links.ts'
import { PreferencesInput, PreferencesSaved } from '../../../src/schemas/consent/preferences.ts'
import { TokenParams } from '../../../src/schemas/consent/unsubscribe.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import * as preferences from '../../../src/core/consent/preferences.ts'
import * as contactStatuses from '../../../src/store/consent/contact-statuses.ts'
import { within } from '../../../src/store/db/sql.ts'
import { addressHash, equal } from '../../../src/keys/tokens.ts'
import { maskAddress, maskOwnPhone } from '../../../src/domain/privacy/mask.ts'
import { escapeHtml } from '../../../src/domain/escape-html.ts'
import type { Deps } from '../../deps.ts'
import { keepPrivate, sendPage, wantsHtml } from '../../http/html-pages.ts'
import {
  acceptForms,
  acceptPunctuation,
  FORM,
  linkPage,
  PAGE_CONTENT,
} from '../../http/link-pages.ts'
import { chosenText, preferencesForm } from '../preferences-page.ts'
import { refuseLink, unsubscribeByLink, voiceOf, waitForMailInFlight } from '../public-links.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

const UNSUBSCRIBED = 'You are unsubscribed'
const SAVED = 'Your choice is saved'

export const preferencesRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, publicUrl, now } = deps
  acceptPunctuation(app)
  const url = '/preferences/:token'
  const read = (token: string) => readPreferences(keyring, token, now())
  const config = linkPage(read)

  acceptForms(app, fromForm)

  app.get(
    url,
    {
      config,
      schema: {
        tags: ['preferences'],
        operationId: 'showPreferences',
        summary: 'Show the preferences page',
        description:
          'Shows checkboxes for the public topics, a button that unsubscribes from all mail, and buttons for text messages to the number of the contact. Only the button that unsubscribes is shown if the contact was deleted or has another address. Opening the page changes nothing.',
        params: TokenParams,
        response: { 200: { description: 'The page', content: PAGE_CONTENT } },
      },
    },
    async ({ params: { token }, headers: { accept } }, reply) => {
      const link = read(token)
      if (!link) return refuseLink(accept, reply)
      const { organizationId, contactId } = link
      const tenant = within(sql, organizationId)
      const [brand, person, topics] = await Promise.all([
        organizations.findBrand(tenant, organizationId),
        contactStatuses.find(tenant, organizationId, contactId),
        preferences.list(tenant, organizationId, contactId),
      ])
      const email = person?.email ?? ''
      const isTheirs = equal(addressHash(organizationId, email), link.addressHash)
      const status = person?.emailStatus ?? null
      const { say, page } = voiceOf(brand)
      const address = isTheirs ? maskAddress(email) : say('unsubscribe.thisAddress')
      const phone = isTheirs ? (person?.phone ?? null) : null
      return sendPage(reply, {
        ...page,
        title: say('preferences.title'),
        body: `<p>${escapeHtml(say('preferences.address', { address }))}</p>
${preferencesForm(say, {
  action: actionOf(token),
  topics: isTheirs ? topics : [],
  mayAdd: preferences.mayAdd(status),
  isUnsubscribed: status === 'unsubscribed',
  phone:
    phone === null ? null : { masked: maskOwnPhone(phone), smsStatus: person?.smsStatus ?? null },
})}`,
      })
    },
  )

  app.post(
    url,
    {
      config,
      bodyLimit: REQUEST_LIMITS.formBytes,
      schema: {
        tags: ['preferences'],
        operationId: 'savePreferences',
        summary: 'Save what a contact wants: topics, no mail, text messages',
        description:
          'Subscribes the contact to the listed public topics and unsubscribes it from all others. A topic with double opt-in sends a confirmation email. Topics can be added only if the contact is active or unsubscribed and still has the mailed address. A contact who unsubscribed from all mail and chooses a topic without double opt-in becomes active again. `texts` opts the phone number in or out of text messages: in only if the contact still has the mailed address. Returns HTML if `Accept` asks for it, else JSON.',
        consumes: ['application/json', FORM],
        params: TokenParams,
        body: PreferencesInput,
        response: {
          200: {
            description: 'Saved',
            content: { 'application/json': { schema: PreferencesSaved }, ...PAGE_CONTENT },
          },
        },
      },
    },
    async ({ id: requestId, body, params: { token }, headers: { accept } }, reply) => {
      const link = read(token)
      if (!link) return refuseLink(accept, reply)
      const { organizationId, contactId, batchId, mailId } = link
      const tenant = within(sql, organizationId)
      const { scope, texts, topics: wantedTopics } = body
      const addressOf = (text: string) => addressed(keyring, organizationId, text)
      const mailed = addressedByHash(keyring, link.addressHash)
      if (texts !== undefined) {
        const wantsTexts = texts === 'on'
        const choice = { contactId, mailed, addressOf, wantsTexts }
        const phone = await preferences.chooseTexts(tenant, organizationId, choice)
        if (phone !== null && !wantsTexts) {
          await waitForMailInFlight(tenant, organizationId, [contactId])
        }
        return answer(SAVED, 'preferences.done', (say) => [textsText(say, phone, wantsTexts)])
      }
      if (scope === 'all') {
        await unsubscribeByLink(tenant, keyring, link, requestId)
        return answer(UNSUBSCRIBED, 'unsubscribe.done', (say) => [say('unsubscribe.doneText')])
      }
      if (wantedTopics === undefined)
        return refuse('topics', 'is required without texts or the scope all')
      const chosen = await preferences.choose(tenant, organizationId, {
        contactId,
        mailed,
        batchId,
        mailId,
        addressOf,
        wantedTopicIds: wantedTopics.map((topicId) => topicId.toLowerCase()),
        requestId,
        at: new Date(now()).toISOString(),
      })
      if (chosen.unsubscribed.length > 0)
        await waitForMailInFlight(tenant, organizationId, [contactId])
      return answer(SAVED, 'preferences.done', (say) => chosenText(say, chosen))

      async function answer(
        message: string,
        title: TextName,
        sentences: (say: Say) => readonly string[],
      ) {
        if (!wantsHtml(accept)) return keepPrivate(reply).send({ success: true, message })
        const { say, page } = voiceOf(await organizations.findBrand(tenant, organizationId))
        const paragraphs = sentences(say).map((text) => `<p>${escapeHtml(text)}</p>`)
        return sendPage(reply, {
          ...page,
          title: say(title),
          body: `${paragraphs.join('\n')}
<p><a href="${escapeHtml(actionOf(token))}">${escapeHtml(say('preferences.back'))}</a></p>`,
        })
      }
    },
  )

  const actionOf = (token: string): string =>
    `${publicUrl}/preferences/${encodeURIComponent(token)}`
}

function textsText(say: Say, phone: string | null, wantsTexts: boolean): string {
  if (phone === null) return say('preferences.unchanged')
  const name = wantsTexts ? 'preferences.textsAreOn' : 'preferences.textsAreOff'
  return say(name, { phone: maskOwnPhone(phone) })
}

/** A form sends its topics one by one. It sends none if only the button was pressed. */
function fromForm(text: string): Record<string, unknown> {
  const form = new URLSearchParams(text)
  const scope = form.get('scope')
  const texts = form.get('texts')
  const saysTopics = form.has('topics') || scope === 'chosen'
  return {
    ...(scope === null ? {} : { scope }),
    ...(texts === null ? {} : { texts }),
    ...(saysTopics ? { topics: form.getAll('topics') } : {}),
  }
}
