import { type Uuid, uuidv7 } from '../../ids.ts'
import type { Content } from '../../mail/content.ts'
import type { Template } from '../../schemas/content/template.ts'
import * as contents from '../../store/content/contents.ts'
import * as templates from '../../store/content/templates.ts'
import type { NewTemplate } from '../../store/content/templates.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { slugTaken, underSlug } from '../../domain/slugs.ts'

interface TemplateValues extends Omit<NewTemplate, 'organizationId' | 'id' | 'slug'> {
  /** Absent: one is made of the name. */
  slug?: string | undefined
}

/** Creates a template and publishes its first version with this content. 409: slug taken. */
export async function createTemplate(
  tx: Transaction,
  organizationId: Uuid,
  { slug, ...values }: TemplateValues,
  content: Content,
): Promise<Template> {
  const id = uuidv7()
  const named = {
    name: values.name,
    id,
    fallback: 'template',
    ...(slug === undefined ? {} : { slug }),
  }
  const created = await underSlug(named, (free) =>
    templates.create(tx, { ...values, organizationId, id, slug: free }),
  )
  if (!created) throw slugTaken('template')
  const contentId = uuidv7()
  await contents.create(tx, { organizationId, id: contentId, ...content })
  await templates.addVersion(tx, { organizationId, templateId: id, version: 1, contentId })
  return created
}
