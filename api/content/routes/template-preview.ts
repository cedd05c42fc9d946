import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { previewTemplate } from '../../../src/core/content/preview-template.ts'
import type { Contents } from '../../../src/mail/content-checks.ts'
import { maySeeContacts } from '../../../src/domain/access/access.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  TemplatePreview,
  TemplatePreviewInput,
} from '../../../src/schemas/content/template-preview.ts'
import type { Caller } from '../../caller.ts'
import type { TenantDeps } from '../../deps.ts'
import { wantsHtml } from '../../http/html-pages.ts'
import { PAGE_CONTENT } from '../../http/link-pages.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { sendPreviewPage } from '../preview-page.ts'

interface PreviewRequest {
  caller: Caller
  contents: Contents
  params: { id: string }
  body: TemplatePreviewInput | null
}

export const templatePreviewRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { renderer, publicUrl } = deps
  const preview = ({ caller, contents, params: { id }, body }: PreviewRequest) => {
    const { organizationId, sql, scopes } = caller
    const previewing = {
      sql,
      contents,
      renderer,
      publicUrl,
      maySeeContacts: maySeeContacts(scopes),
    }
    return previewTemplate(previewing, organizationId, id, body ?? {})
  }

  app.post(
    '/v1/templates/:id/preview',
    {
      // Mail is rendered outside of a transaction; nothing is written.
      config: { scope: ['read', 'send'], leased: true },
      bodyLimit: REQUEST_LIMITS.bodyBytes,
      schema: {
        tags: ['templates'],
        operationId: 'previewTemplate',
        summary: 'Preview the mail of a template for a contact, by id or slug',
        description:
          'Renders the present content of the template, published or not. Fails with 400 and all problems if it cannot be published. Nothing is stored or sent, and unsubscribe links are disabled. Returns HTML if `Accept` asks for it, else JSON: the page shows the mail at 1280 and 375 pixels, in frames without scripts. Without the scopes `read` and `contacts`, email addresses and phone numbers of the contact are masked.',
        params: IdParams,
        body: TemplatePreviewInput,
        response: {
          200: {
            description: 'The mail, or the reason why there is none',
            content: { 'application/json': { schema: TemplatePreview }, ...PAGE_CONTENT },
          },
        },
      },
      // A page is not what an Idempotency-Key keeps: it is made anew.
      preHandler: async (request, reply) => {
        if (!wantsHtml(request.headers.accept)) return
        await sendPreviewPage(reply, await preview(request))
      },
    },
    preview,
  )
}
