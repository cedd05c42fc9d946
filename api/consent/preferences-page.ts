import type { Chosen } from '../../src/core/consent/preferences.ts'
import type { Say, TextName } from '../../src/domain/content/wording.ts'
import type { PublicTopic } from '../../src/store/consent/topics.ts'
import { escapeHtml } from '../../src/domain/escape-html.ts'

interface PreferencesForm {
  action: string
  topics: readonly PublicTopic[]
  mayAdd: boolean
  isUnsubscribed: boolean
}

export function preferencesForm(
  say: Say,
  { action, topics, mayAdd, isUnsubscribed }: PreferencesForm,
): string {
  const text = (name: TextName): string => escapeHtml(say(name))
  const form = `<form method="post" action="${escapeHtml(action)}">`
  const everything = `${form}<button class="quiet" name="scope" value="all">${text('unsubscribe.everything')}</button></form>`
  const shownTopics = topics.filter((topic) => mayAdd || has(topic))
  if (shownTopics.length === 0) return everything
  const note = isUnsubscribed && mayAdd ? `<p>${text('preferences.away')}</p>` : ''
  return `${note}
${form}<fieldset><legend>${text('preferences.question')}</legend>
${shownTopics.map((topic) => checkbox(say, topic)).join('\n')}
</fieldset><button name="scope" value="chosen">${text('preferences.save')}</button></form>
${everything}`
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
