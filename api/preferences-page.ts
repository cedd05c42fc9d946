import type { Chosen, Preference } from '../src/store/preferences.ts'
import { escapeHtml } from './html.ts'

interface Shown {
  /** Where the form goes. */
  action: string
  topics: readonly Preference[]
  /** Topics that the person does not have can be chosen. */
  mayAdd: boolean
  /** The person left all mail before. */
  isGone: boolean
}

/** Checkboxes for topics, and a button that leaves everything. */
export function preferencesForm({ action, topics, mayAdd, isGone }: Shown): string {
  const form = `<form method="post" action="${escapeHtml(action)}">`
  const everything = `${form}<button class="quiet" name="scope" value="all">Unsubscribe from everything</button></form>`
  const shown = topics.filter((topic) => mayAdd || has(topic))
  if (shown.length === 0) return everything
  const note =
    isGone && mayAdd
      ? '<p>You get no mail from us now. With a topic that you choose here you are back.</p>'
      : ''
  return `${note}
${form}<fieldset><legend>What do you want to get?</legend>
${shown.map(checkbox).join('\n')}
</fieldset><button name="scope" value="chosen">Save</button></form>
${everything}`
}

const has = ({ status }: Preference): boolean => status === 'subscribed' || status === 'pending'

function checkbox(topic: Preference): string {
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

/** What became of a choice, in sentences. */
export function chosenText({ left, subscribed, asked, limited, refused }: Chosen): string[] {
  const said = (names: readonly string[], sentence: (names: string) => string): string[] =>
    names.length === 0 ? [] : [sentence(names.map((name) => `“${name}”`).join(', '))]
  const all = [
    ...said(subscribed, (names) => `You get mail about ${names} from now on.`),
    ...said(asked, (names) => `We mailed you: confirm there that you want ${names}.`),
    ...said(left, (names) => `You get no more mail about ${names}.`),
    ...said(limited, (names) => `No more mail to confirm ${names} can be sent today.`),
    ...said(refused, (names) => `${names} cannot be added with this link.`),
  ]
  return all.length === 0 ? ['Nothing has changed.'] : all
}
