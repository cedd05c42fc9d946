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

export interface MailCheck {
  code: (typeof MAIL_CHECKS)[number]
  /** `info`: it is corrected automatically. */
  severity: 'warning' | 'info'
  part: (typeof MAIL_PARTS)[number]
  message: string
}
