import type { Chosen } from '../../src/core/consent/preferences.ts'
import type { PublicTopic } from '../../src/store/consent/topics.ts'
import { escapeHtml } from '../http/html-pages.ts'

interface Shown {
  /** Where the form goes. */
  action: string
  topics: readonly PublicTopic[]
  /** Topics that the person does not have can be chosen. */
  mayAdd: boolean
  /** The person has unsubscribed from all mail. */
  isUnsubscribed: boolean
}

/** Checkboxes for topics, and a button that unsubscribes from everything. */
export function preferencesForm({ action, topics, mayAdd, isUnsubscribed }: Shown): string {
  const form = `<form method="post" action="${escapeHtml(action)}">`
  const everything = `${form}<button class="quiet" name="scope" value="all">Unsubscribe from everything</button></form>`
  const shown = topics.filter((topic) => mayAdd || has(topic))
  if (shown.length === 0) return everything
  const note =
    isUnsubscribed && mayAdd
      ? '<p>You get no mail from us now. With a topic that you choose here you are back.</p>'
      : ''
  return `${note}
${form}<fieldset><legend>What do you want to get?</legend>
${shown.map(checkbox).join('\n')}
</fieldset><button name="scope" value="chosen">Save</button></form>
${everything}`
}

const has = ({ status }: PublicTopic): boolean => status === 'subscribed' || status === 'pending'

function checkbox(topic: PublicTopic): string {
  const { topicId, name, description, status } = topic
  const details = [
    ...(description === null ? [] : [escapeHtml(description)]),
    ...(status === 'pending'
      ? ['Waits for your confirmation: see the mail that we sent you.']
      : []),
  ]
  const small = details.map((text) => `<small>${text}</small>`).join('')
  return `<label class="topic"><input type="checkbox" name="topics" value="${topicId}"${has(topic) ? ' checked' : ''}><span>${escapeHtml(name)}${small}</span></label>`
}

/** Returns what a choice changed, in sentences. */
export function chosenText({
  unsubscribed,
  subscribed,
  asked,
  limited,
  refused,
}: Chosen): string[] {
  const sentencesFor = (names: readonly string[], sentence: (names: string) => string): string[] =>
    names.length === 0 ? [] : [sentence(names.map((name) => `“${name}”`).join(', '))]
  const all = [
    ...sentencesFor(subscribed, (names) => `You get mail about ${names} from now on.`),
    ...sentencesFor(asked, (names) => `We mailed you: confirm there that you want ${names}.`),
    ...sentencesFor(unsubscribed, (names) => `You get no more mail about ${names}.`),
    ...sentencesFor(limited, (names) => `No more mail to confirm ${names} can be sent today.`),
    ...sentencesFor(refused, (names) => `${names} cannot be added with this link.`),
  ]
  return all.length === 0 ? ['Nothing has changed.'] : all
}
