import type { Texts } from '../wording.ts'

export const ES: Texts = {
  'footer.unsubscribe': 'Cancelar la suscripción',
  'footer.preferences': 'Preferencias',

  'confirmation.subject': 'Confirme, por favor: {topic}',
  'confirmation.reminder': 'Recordatorio: confirme, por favor: {topic}',
  'confirmation.heading': 'Un paso más',
  'confirmation.opening': 'Confirme que desea recibir «{topic}» de {organization}.',
  'confirmation.openingAgain':
    'Hace unos días le pedimos que confirmara que desea recibir «{topic}» de {organization}. Todavía no lo ha hecho.',
  'confirmation.button': 'Confirmar mi suscripción',
  'confirmation.validity': 'El enlace es válido durante {days} días.',
  'confirmation.copy': 'Si el botón no funciona, copie esta dirección en su navegador:',
  'confirmation.ignore':
    'Si no lo ha solicitado, ignore este mensaje: sin su confirmación no queda suscrito.',

  'confirm.title': 'Confirmar la suscripción',
  'confirm.question': '¿Desea recibir «{topic}» de {organization}?',
  'confirm.button': 'Sí, suscribirme',
  'confirm.ignore': 'Si no lo ha solicitado, cierre esta página: no pasará nada.',
  'confirm.done': 'Suscripción confirmada',
  'confirm.thanks': 'Gracias. A partir de ahora recibirá «{topic}» de {organization}.',
  'confirm.over': 'Este enlace ya no funciona',
  'confirm.overReason':
    'Se sustituyó por otro más reciente, tiene más de 30 días o se envió a otra dirección. Nada ha cambiado. Utilice el mensaje más reciente o vuelva a suscribirse.',

  'unsubscribe.title': 'Cancelar la suscripción',
  'unsubscribe.question': '¿No enviar más mensajes a {address}?',
  'unsubscribe.topicQuestion': '¿No enviar más mensajes sobre «{topic}» a {address}?',
  'unsubscribe.thisAddress': 'esta dirección',
  'unsubscribe.button': 'Cancelar la suscripción',
  'unsubscribe.everything': 'Cancelar todas las suscripciones',
  'unsubscribe.choose': 'Elegir lo que recibe',
  'unsubscribe.done': 'Suscripción cancelada',
  'unsubscribe.doneText': 'No recibirá más mensajes nuestros.',
  'unsubscribe.topicDoneText': 'No recibirá más mensajes sobre «{topic}».',

  'preferences.title': 'Sus preferencias de correo',
  'preferences.address': 'Para {address}',
  'preferences.question': '¿Qué desea recibir?',
  'preferences.save': 'Guardar',
  'preferences.away':
    'Ahora no recibe mensajes nuestros. Si elige aquí un tema, volverá a recibirlos.',
  'preferences.pending': 'Pendiente de su confirmación: consulte el mensaje que le enviamos.',
  'preferences.done': 'Su elección se ha guardado',
  'preferences.back': 'Volver a sus preferencias',
  'preferences.topic': '«{topic}»',
  'preferences.subscribed': 'A partir de ahora recibirá mensajes sobre {topics}.',
  'preferences.asked': 'Le hemos enviado un mensaje: confirme en él que desea {topics}.',
  'preferences.unsubscribed': 'No recibirá más mensajes sobre {topics}.',
  'preferences.limited': 'Hoy no se pueden enviar más mensajes para confirmar {topics}.',
  'preferences.refused': '{topics} no se puede añadir con este enlace.',
  'preferences.unchanged': 'Nada ha cambiado.',
  'preferences.texts': 'SMS al {phone}',
  'preferences.textsOn': 'Recibir SMS',
  'preferences.textsOff': 'No recibir más SMS',
  'preferences.textsAreOn': 'A partir de ahora recibirá SMS en el {phone}.',
  'preferences.textsAreOff': 'No recibirá más SMS en el {phone}.',
}
