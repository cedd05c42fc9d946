/** What a mail is looked through for before it is sent. */
export const MAIL_CHECKS = [
  'blank_subject',
  'link_without_address',
  'relative_link',
  'local_link',
  'unusable_link',
  'no_unsubscribe_link',
  'image_without_alt',
  'unusable_image',
  'embedded_images',
  'many_images',
  'mostly_images',
  'no_text_part',
  'clipped',
] as const

export const MAIL_PARTS = ['subject', 'html', 'text'] as const

/** What was found in a mail: what it is, and what to do about it. */
export interface MailCheck {
  code: (typeof MAIL_CHECKS)[number]
  /** `info`: it is put right by itself. */
  severity: 'warning' | 'info'
  part: (typeof MAIL_PARTS)[number]
  message: string
}
