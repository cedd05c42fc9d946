import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { PreparedMail } from '../../../src/core/mails/prepare-mails.ts'
import { prepareTest, sendTest } from '../../../src/core/mails/test-template.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { TemplateTest, TemplateTestInput } from '../../../src/schemas/content/template-preview.ts'
import { maySeeContacts } from '../../../src/domain/access/access.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The mails or their refusal, which a request with a known idempotency key does not get. */
    testMails: Promise<PreparedMail[]> | undefined
  }
}

/** Tests of templates: mails to people who want to see them in a mail program. */
export const templateTestRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, publicUrl, renderer, now } = deps
  app.decorateRequest('testMails', undefined)

  app.post(
    '/v1/templates/:id/test',
    {
      config: { scope: 'send' },
      bodyLimit: REQUEST_LIMITS.bodyBytes,
      schema: {
        tags: ['templates'],
        operationId: 'testTemplate',
        summary: 'Send a test of a template to up to five addresses',
        description:
          'The template is named by id or slug. It is rendered as its preview is, published or not, and sent as single mail with `[Test]` before the subject. A test does not count as mail to a contact, even if a contact has the address, and its links to unsubscribe are disabled. Its content is deleted once it is sent. Keys without the scopes `read` and `contacts` get masked addresses and phone numbers of the contact.',
        params: IdParams,
        body: TemplateTestInput,
        response: { 202: TemplateTest },
      },
      preHandler: async (request) => {
        const { contents, body, params, caller } = request
        const { organizationId, sql, scopes } = caller
        const making = {
          keyring,
          publicUrl,
          renderer,
          contents,
          now: now(),
          maySeeContacts: maySeeContacts(scopes),
        }
        const mails = prepareTest(sql, organizationId, params.id, body, making)
        request.testMails = mails
        await Promise.allSettled([mails])
      },
    },
    async (request, reply) => {
      const { tx, caller } = request
      const mails = (await request.testMails) ?? []
      const sent = await sendTest(tx, caller.organizationId, mails, { keyring, now: now() })
      const subject = { kind: 'template', id: mails[0]?.templateId ?? '' }
      const detail = { count: sent.mails.length }
      await audit(tx, request, now, { action: 'template.tested', subject, detail })
      reply.code(202)
      return sent
    },
  )
}
