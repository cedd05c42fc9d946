/** Texts for recipients that an organization may replace. `{…}`: placeholders. */
export const EN = {
  'footer.unsubscribe': 'Unsubscribe',
  'footer.preferences': 'Preferences',

  'confirmation.subject': 'Please confirm: {topic}',
  'confirmation.reminder': 'Reminder: please confirm: {topic}',
  'confirmation.heading': 'One more step',
  'confirmation.opening': 'Please confirm that you want to receive “{topic}” from {organization}.',
  'confirmation.openingAgain':
    'A few days ago you were asked to confirm that you want to receive “{topic}” from {organization}. You have not done so yet.',
  'confirmation.button': 'Confirm my subscription',
  'confirmation.validity': 'The link works for {days} days.',
  'confirmation.copy': 'If the button does not, copy this address into your browser:',
  'confirmation.ignore':
    'If you did not ask for this, ignore it: without your confirmation you are not subscribed.',

  'confirm.title': 'Confirm your subscription',
  'confirm.question': 'Do you want to receive “{topic}” from {organization}?',
  'confirm.button': 'Yes, subscribe me',
  'confirm.ignore': 'If you did not ask for this, close this page: nothing happens.',
  'confirm.done': 'You are subscribed',
  'confirm.thanks': 'Thank you. You will receive “{topic}” from {organization}.',
  'confirm.over': 'This link no longer works',
  'confirm.overReason':
    'It was replaced by a newer one, is older than 30 days, or was mailed to another address. Nothing has changed. Please use the newest mail, or subscribe again to get one.',

  'unsubscribe.title': 'Unsubscribe',
  'unsubscribe.question': 'No more mail to {address}?',
  'unsubscribe.topicQuestion': 'No more mail about “{topic}” to {address}?',
  'unsubscribe.thisAddress': 'this address',
  'unsubscribe.button': 'Unsubscribe',
  'unsubscribe.everything': 'Unsubscribe from everything',
  'unsubscribe.choose': 'Choose what you get',
  'unsubscribe.done': 'You are unsubscribed',
  'unsubscribe.doneText': 'You will get no more mail from us.',
  'unsubscribe.topicDoneText': 'You will get no more mail about “{topic}”.',

  'preferences.title': 'Your mail preferences',
  'preferences.address': 'For {address}',
  'preferences.question': 'What do you want to get?',
  'preferences.save': 'Save',
  'preferences.away':
    'You get no mail from us now. With a topic that you choose here you are back.',
  'preferences.pending': 'Waits for your confirmation: see the mail that we sent you.',
  'preferences.done': 'Your choice is saved',
  'preferences.back': 'Back to your preferences',
  'preferences.topic': '“{topic}”',
  'preferences.subscribed': 'You get mail about {topics} from now on.',
  'preferences.asked': 'We mailed you: confirm there that you want {topics}.',
  'preferences.unsubscribed': 'You get no more mail about {topics}.',
  'preferences.limited': 'No more mail to confirm {topics} can be sent today.',
  'preferences.refused': '{topics} cannot be added with this link.',
  'preferences.unchanged': 'Nothing has changed.',
} as const
