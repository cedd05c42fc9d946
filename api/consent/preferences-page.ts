import type { Chosen } from '../../src/core/consent/preferences.ts'
import type { SmsStatus } from '../../src/domain/consent/sms-status.ts'
import type { Say, TextName } from '../../src/domain/content/wording.ts'
import type { PublicTopic } from '../../src/store/consent/topics.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'

interface PreferencesForm {
  action: string
  topics: readonly PublicTopic[]
  mayAdd: boolean
  isUnsubscribed: boolean
  /** The contact's number. Null: there is none, or the page must not speak of it. */
  phone: { masked: string; smsStatus: SmsStatus | null } | null
}

export function preferencesForm(
  say: Say,
  { action, topics, mayAdd, isUnsubscribed, phone }: PreferencesForm,
): string {
  const text = (name: TextName): string => escapeHtml(say(name))
  const form = `<form method="post" action="${escapeHtml(action)}">`
  const texts = phone === null ? '' : textsForm(say, form, phone)
  const everything = `${form}<button class="quiet" name="scope" value="all">${text('unsubscribe.everything')}</button></form>${texts}`
  const shownTopics = topics.filter((topic) => mayAdd || has(topic))
  if (shownTopics.length === 0) return everything
  const note = isUnsubscribed && mayAdd ? `<p>${text('preferences.away')}</p>` : ''
  return `${note}
${form}<fieldset><legend>${text('preferences.question')}</legend>
${shownTopics.map((topic) => checkbox(say, topic)).join('\n')}
</fieldset><button name="scope" value="chosen">${text('preferences.save')}</button></form>
${everything}`
}

/** A number that does not exist can be opted out only. */
function textsForm(
  say: Say,
  form: string,
  { masked, smsStatus }: NonNullable<PreferencesForm['phone']>,
): string {
  const button = (value: 'on' | 'off') =>
    `<button class="quiet" name="texts" value="${value}">${escapeHtml(say(value === 'on' ? 'preferences.textsOn' : 'preferences.textsOff'))}</button>`
  const mayOptIn = smsStatus !== 'opted_in' && smsStatus !== 'invalid'
  const buttons = [
    ...(mayOptIn ? [button('on')] : []),
    ...(smsStatus === 'opted_out' ? [] : [button('off')]),
  ]
  return `
${form}<p>${escapeHtml(say('preferences.texts', { phone: masked }))}</p>${buttons.join('\n')}</form>`
}

const has = ({ status }: PublicTopic): boolean => status === 'subscribed' || status === 'pending'

function checkbox(say: Say, topic: PublicTopic): string {
  const { topicId, name, description, status } = topic
  const details = [
    ...(description === null ? [] : [description]),
    ...(status === 'pending' ? [say('preferences.pending')] : []),
  ]
  const small = details.map((text) => `<small>${escapeHtml(text)}</small>`).join('')
  return `<label class="topic"><input type="checkbox" name="topics" value="${topicId}"${has(topic) ? ' checked' : ''}><span>${escapeHtml(name)}${small}</span></label>`
}

export function chosenText(say: Say, chosen: Chosen): string[] {
  const kinds = ['subscribed', 'asked', 'unsubscribed', 'limited', 'refused'] as const
  const changes = kinds.filter((kind) => chosen[kind].length > 0)
  if (changes.length === 0) return [say('preferences.unchanged')]
  return changes.map((kind) =>
    say(`preferences.${kind}`, {
      topics: chosen[kind].map((topic) => say('preferences.topic', { topic })).join(', '),
    }),
  )
}
