import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { changeOrganization } from '../../../src/core/access/organizations.ts'
import {
  TEXT_NAMES,
  type TextName,
  unknownPlaceholders,
} from '../../../src/domain/content/wording.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import { monthOf } from '../../../src/domain/events/event-quota.ts'
import { Organization, OrganizationPatch } from '../../../src/schemas/access/organization.ts'
import * as eventUsage from '../../../src/store/events/usage.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import * as storedBytes from '../../../src/store/access/stored-bytes.ts'
import { type Executor, transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../audit.ts'
import type { Caller } from '../../caller.ts'
import type { TenantDeps } from '../../deps.ts'
import { planOf } from '../../../src/core/access/plan.ts'

const tags = ['account']

export const organizationRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/organization',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'getOrganization',
        summary: 'Get your organization',
        description:
          'Returns the plan, its limits, your usage, and the scopes of your credentials.',
        response: { 200: Organization },
      },
    },
    ({ caller }) => load(caller.sql, caller, now()),
  )

  app.patch(
    '/v1/organization',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'updateOrganization',
        summary: 'Update your organization',
        description:
          'Updates the name and `branding`. Only the fields that are sent change. Send null to restore a default color or text. Your texts can use the same `{…}` placeholders as the default texts. Other fields are ignored.',
        body: OrganizationPatch,
        response: { 200: Organization },
      },
    },
    async (request) => {
      const { caller, body } = request
      const { name, branding } = body
      checkTexts(branding?.texts ?? {})
      return transact(caller.sql, async (tx) => {
        const actor = actorOf(request, now)
        await changeOrganization(tx, caller.organizationId, { name, branding }, actor)
        return load(tx, caller, now())
      })
    },
  )
}

/** Throws a 400 for an unknown `{placeholder}`. */
function checkTexts(texts: Partial<Record<TextName, string | null>>): void {
  const details = TEXT_NAMES.flatMap((name) =>
    unknownPlaceholders(name, texts[name] ?? '').map((each) => ({
      path: `branding.texts.${name}`,
      message: `cannot contain the placeholder ${each}`,
    })),
  )
  const [first] = details
  if (first) throw badRequest(`${first.path} ${first.message}`, details)
}

async function load(
  sql: Executor,
  { organizationId, scopes }: Caller,
  now: number,
): Promise<Organization> {
  const foundOrganization = await organizations.find(sql, organizationId)
  if (!foundOrganization) throw new Error('a caller has no organization')
  const { connections, members, apiKeys, ...organization } = foundOrganization
  const [events, bytes] = await Promise.all([
    eventUsage.count(sql, organizationId, monthOf(now)),
    storedBytes.count(sql, organizationId),
  ])
  return {
    ...organization,
    limits: await planOf(sql, organizationId),
    usage: { connections, members, apiKeys, events, storedBytes: bytes },
    scopes: [...scopes],
  }
}
