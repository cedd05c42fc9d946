import type { Texts } from '../wording.ts'

export const FR: Texts = {
  'footer.unsubscribe': 'Se désabonner',
  'footer.preferences': 'Préférences',

  'confirmation.subject': 'Merci de confirmer : {topic}',
  'confirmation.reminder': 'Rappel : merci de confirmer : {topic}',
  'confirmation.heading': 'Encore une étape',
  'confirmation.opening':
    'Merci de confirmer que vous souhaitez recevoir « {topic} » de {organization}.',
  'confirmation.openingAgain':
    'Il y a quelques jours, nous vous avons demandé de confirmer que vous souhaitez recevoir « {topic} » de {organization}. Vous ne l’avez pas encore fait.',
  'confirmation.button': 'Confirmer mon abonnement',
  'confirmation.validity': 'Le lien est valable {days} jours.',
  'confirmation.copy':
    'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :',
  'confirmation.ignore':
    'Si vous n’avez rien demandé, ignorez ce message : sans votre confirmation, vous n’êtes pas abonné.',

  'confirm.title': 'Confirmer votre abonnement',
  'confirm.question': 'Souhaitez-vous recevoir « {topic} » de {organization} ?',
  'confirm.button': 'Oui, m’abonner',
  'confirm.ignore': 'Si vous n’avez rien demandé, fermez cette page : rien ne se passera.',
  'confirm.done': 'Vous êtes abonné',
  'confirm.thanks': 'Merci. Vous recevrez « {topic} » de {organization}.',
  'confirm.over': 'Ce lien ne fonctionne plus',
  'confirm.overReason':
    'Il a été remplacé par un lien plus récent, date de plus de 30 jours ou a été envoyé à une autre adresse. Rien n’a changé. Utilisez le message le plus récent, ou abonnez-vous de nouveau.',

  'unsubscribe.title': 'Se désabonner',
  'unsubscribe.question': 'Ne plus envoyer de messages à {address} ?',
  'unsubscribe.topicQuestion': 'Ne plus envoyer de messages sur « {topic} » à {address} ?',
  'unsubscribe.thisAddress': 'cette adresse',
  'unsubscribe.button': 'Se désabonner',
  'unsubscribe.everything': 'Se désabonner de tout',
  'unsubscribe.choose': 'Choisir ce que vous recevez',
  'unsubscribe.done': 'Vous êtes désabonné',
  'unsubscribe.doneText': 'Vous ne recevrez plus de messages de notre part.',
  'unsubscribe.topicDoneText': 'Vous ne recevrez plus de messages sur « {topic} ».',

  'preferences.title': 'Vos préférences',
  'preferences.address': 'Pour {address}',
  'preferences.question': 'Que souhaitez-vous recevoir ?',
  'preferences.save': 'Enregistrer',
  'preferences.away':
    'Vous ne recevez actuellement aucun message de notre part. En choisissant un thème ici, vous revenez parmi nous.',
  'preferences.pending':
    'En attente de votre confirmation : consultez le message que nous vous avons envoyé.',
  'preferences.done': 'Votre choix est enregistré',
  'preferences.back': 'Retour à vos préférences',
  'preferences.topic': '« {topic} »',
  'preferences.subscribed': 'Vous recevrez désormais des messages sur {topics}.',
  'preferences.asked':
    'Nous vous avons envoyé un message : confirmez-y que vous souhaitez {topics}.',
  'preferences.unsubscribed': 'Vous ne recevrez plus de messages sur {topics}.',
  'preferences.limited':
    'Aucun autre message de confirmation pour {topics} ne peut être envoyé aujourd’hui.',
  'preferences.refused': '{topics} ne peut pas être ajouté avec ce lien.',
  'preferences.unchanged': 'Rien n’a changé.',
  'preferences.texts': 'SMS au {phone}',
  'preferences.textsOn': 'Recevoir des SMS',
  'preferences.textsOff': 'Ne plus recevoir de SMS',
  'preferences.textsAreOn': 'Vous recevrez désormais des SMS au {phone}.',
  'preferences.textsAreOff': 'Vous ne recevrez plus de SMS au {phone}.',
}
