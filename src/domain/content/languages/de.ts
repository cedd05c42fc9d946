import type { Texts } from '../wording.ts'

export const DE: Texts = {
  'footer.unsubscribe': 'Abmelden',
  'footer.preferences': 'Einstellungen',

  'confirmation.subject': 'Bitte bestätigen: {topic}',
  'confirmation.reminder': 'Erinnerung: bitte bestätigen: {topic}',
  'confirmation.heading': 'Nur noch ein Schritt',
  'confirmation.opening':
    'Bitte bestätigen Sie, dass Sie „{topic}“ von {organization} erhalten möchten.',
  'confirmation.openingAgain':
    'Vor einigen Tagen haben wir Sie gebeten zu bestätigen, dass Sie „{topic}“ von {organization} erhalten möchten. Das haben Sie noch nicht getan.',
  'confirmation.button': 'Anmeldung bestätigen',
  'confirmation.validity': 'Der Link gilt {days} Tage.',
  'confirmation.copy':
    'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  'confirmation.ignore':
    'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail: Ohne Ihre Bestätigung sind Sie nicht angemeldet.',

  'confirm.title': 'Anmeldung bestätigen',
  'confirm.question': 'Möchten Sie „{topic}“ von {organization} erhalten?',
  'confirm.button': 'Ja, anmelden',
  'confirm.ignore':
    'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite: Es passiert nichts.',
  'confirm.done': 'Sie sind angemeldet',
  'confirm.thanks': 'Vielen Dank. Sie erhalten ab jetzt „{topic}“ von {organization}.',
  'confirm.over': 'Dieser Link funktioniert nicht mehr',
  'confirm.overReason':
    'Er wurde durch einen neueren ersetzt, ist älter als 30 Tage oder ging an eine andere Adresse. Es hat sich nichts geändert. Bitte verwenden Sie die neueste E-Mail, oder melden Sie sich noch einmal an.',

  'unsubscribe.title': 'Abmelden',
  'unsubscribe.question': 'Keine E-Mails mehr an {address}?',
  'unsubscribe.topicQuestion': 'Keine E-Mails mehr zu „{topic}“ an {address}?',
  'unsubscribe.thisAddress': 'diese Adresse',
  'unsubscribe.button': 'Abmelden',
  'unsubscribe.everything': 'Von allem abmelden',
  'unsubscribe.choose': 'Auswählen, was Sie erhalten',
  'unsubscribe.done': 'Sie sind abgemeldet',
  'unsubscribe.doneText': 'Sie erhalten keine E-Mails mehr von uns.',
  'unsubscribe.topicDoneText': 'Sie erhalten keine E-Mails mehr zu „{topic}“.',

  'preferences.title': 'Ihre E-Mail-Einstellungen',
  'preferences.address': 'Für {address}',
  'preferences.question': 'Was möchten Sie erhalten?',
  'preferences.save': 'Speichern',
  'preferences.away':
    'Sie erhalten derzeit keine E-Mails von uns. Mit einem Thema, das Sie hier auswählen, sind Sie wieder dabei.',
  'preferences.pending':
    'Wartet auf Ihre Bestätigung: Sehen Sie in die E-Mail, die wir Ihnen geschickt haben.',
  'preferences.done': 'Ihre Auswahl ist gespeichert',
  'preferences.back': 'Zurück zu Ihren Einstellungen',
  'preferences.topic': '„{topic}“',
  'preferences.subscribed': 'Sie erhalten ab jetzt E-Mails zu {topics}.',
  'preferences.asked':
    'Wir haben Ihnen eine E-Mail geschickt: Bestätigen Sie dort, dass Sie {topics} möchten.',
  'preferences.unsubscribed': 'Sie erhalten keine E-Mails mehr zu {topics}.',
  'preferences.limited':
    'Heute kann keine weitere E-Mail zur Bestätigung von {topics} gesendet werden.',
  'preferences.refused': '{topics} kann mit diesem Link nicht hinzugefügt werden.',
  'preferences.unchanged': 'Es hat sich nichts geändert.',
  'preferences.texts': 'SMS an {phone}',
  'preferences.textsOn': 'SMS erhalten',
  'preferences.textsOff': 'Keine SMS mehr',
  'preferences.textsAreOn': 'Sie erhalten ab jetzt SMS an {phone}.',
  'preferences.textsAreOff': 'Sie erhalten keine SMS mehr an {phone}.',
}
