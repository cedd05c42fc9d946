import { clearedLines, CONTACT_FIELDS, eachLine } from '../../domain/contacts/contact-fields.ts'
import { mailBrand, type MailBrand } from '../../domain/content/brand.ts'
import { refuse } from '../../domain/errors.ts'
import { masked } from '../../domain/privacy/mask.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Content } from '../../mail/content.ts'
import type { Contents } from '../../mail/content-checks.ts'
import type { MergeData } from '../../mail/render.ts'
import type { Renderer } from '../../mail/renderer.ts'
import type {
  TemplatePreview,
  TemplatePreviewInput,
} from '../../schemas/content/template-preview.ts'
import { findBrand } from '../../store/access/organizations.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import type { TemplateSource } from '../../store/content/templates.ts'
import type { Executor } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { publishWarnings } from './publish-warnings.ts'
import { deadLinks, showMail, type ShownMail } from './show-mail.ts'
import { compileTemplate, requireTemplate } from './templates.ts'

interface Deps {
  sql: Executor
  contents: Contents
  renderer: Renderer
  publicUrl: string
  maySeeContacts: boolean
}

/** Placeholder id that no row has. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
const SAMPLE = {
  email: 'ada@example.com',
  ...eachLine((field) => CONTACT_FIELDS[field].example),
  properties: {},
}

export async function previewTemplate(
  { sql, contents, renderer, publicUrl, maySeeContacts }: Deps,
  organizationId: Uuid,
  idOrSlug: string,
  input: TemplatePreviewInput,
): Promise<TemplatePreview> {
  const template = await requireTemplate(sql, organizationId, idOrSlug)
  const sampleContact = await contactOf(sql, organizationId, input)
  const contact = 'id' in sampleContact && !maySeeContacts ? masked(sampleContact) : sampleContact
  const content = await compileTemplate(contents, template)
  const brand = await findBrand(sql, organizationId)
  if (!brand) throw new Error('a caller has an organization')
  const data = dataOf(contact, mailBrand(brand), publicUrl, input)
  const warnings = publishWarnings(content).filter(({ reason }) => reason === 'styles_not_inlined')
  return {
    templateId: template.id,
    name: template.name,
    contactId: 'id' in contact ? contact.id : null,
    email: contact.email ?? null,
    previewText: template.previewText,
    ...(await showTemplate(
      renderer,
      { content, emailType: template.emailType },
      data,
      organizationId,
    )),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

export async function showTemplate(
  renderer: Renderer,
  { content, emailType }: { content: Content; emailType: TemplateSource['emailType'] },
  data: MergeData,
  owner: string,
): Promise<ShownMail & { sizeBytes: number }> {
  const { subject, html, text, hash } = content
  const isMarketing = emailType === 'marketing'
  const key = `${owner} ${emailType} ${hash}`
  const template = { key, content: { subject, html, text }, marketing: isMarketing }
  const shownMail = await showMail(renderer, template, data, owner)
  // A subject that the batch or the step gives is none of the template's.
  const isTheirs = subject === null
  return {
    ...shownMail,
    ...(isTheirs ? { subject: null } : {}),
    checks: shownMail.checks.filter(({ code }) => !(isTheirs && code === 'blank_subject')),
    sizeBytes: Buffer.byteLength(shownMail.html ?? ''),
  }
}

export const dataOf = (
  contact: Partial<NonNullable<MergeData['contact']>>,
  organization: MailBrand,
  publicUrl: string,
  { variables, trigger, event }: TemplatePreviewInput,
): MergeData => ({
  contact: { id: NOBODY, ...contact },
  organization,
  ...deadLinks(publicUrl),
  ...(variables ? { variables } : {}),
  ...(trigger ? { trigger } : {}),
  ...(event ? { event } : {}),
})

type SampleContact = NonNullable<TemplatePreviewInput['contact']>

/** Returns the sample contact of a request in its stored form, or our own example. */
export const sampleOf = ({ contact }: TemplatePreviewInput): SampleContact =>
  contact ? { ...contact, ...clearedLines(contact) } : SAMPLE

async function contactOf(sql: Executor, organizationId: Uuid, input: TemplatePreviewInput) {
  const { contactId: id, contact } = input
  if (id === undefined) return sampleOf(input)
  if (contact) refuse('contact', 'cannot be combined with contactId')
  const foundContact = isUuid(id) ? await contacts.find(sql, organizationId, { id }) : undefined
  if (foundContact) return foundContact
  await refuseForeign(sql, 'contact', organizationId, id)
  return refuse('contactId', 'does not exist')
}
