import { createTemplate, publishAll, templateSource } from '../../src/core/content/templates.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { compileContent } from '../../src/mail/content.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import type { TemplateSource } from '../../src/store/content/templates.ts'

/** A template as the API publishes it. Returns its id. */
export const publishedTemplate = (
  sql: Sql,
  organizationId: Uuid,
  said: Partial<TemplateSource> & Pick<TemplateSource, 'source'>,
): Promise<Uuid> =>
  transact(sql, async (tx) => {
    const source: TemplateSource = {
      subject: null,
      previewText: null,
      sourceType: 'html',
      textContent: null,
      isCompiled: false,
      emailType: 'marketing',
      variables: [],
      ...said,
    }
    const marks = { sourceHash: null, cliProjectPath: null, sesTemplateName: null }
    const namedTemplate = { name: 'A template', ...source, ...marks }
    const template = await createTemplate({ tx, organizationId }, namedTemplate)
    const content = compileContent(templateSource(source))
    await publishAll({ tx, organizationId }, [{ template, content }])
    return template.id
  })
