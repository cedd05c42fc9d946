import { domainToASCII } from 'node:url'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createIdentities } from '../../../src/core/accounts/identities.ts'
import { domainOf, isIdentity } from '../../../src/domain/accounts/identity.ts'
import {
  Domain,
  DomainList,
  DomainParams,
  DomainQuery,
  DomainUnavailable,
} from '../../../src/schemas/accounts/domain.ts'
import type { TenantDeps } from '../../deps.ts'

const tags = ['domains']

/**
 * Sending identities, read live. The provider is asked by a workflow's activity, never by this
 * process.
 */
export const domainRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const identities = createIdentities(deps)

  app.get(
    '/v1/domains',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listDomains',
        summary: 'List the domains and addresses that your accounts can send from',
        description:
          'Reads all connected accounts at once. Results are at most 15 seconds old. An account that cannot be called or does not answer in time has `reachable` false, and the request succeeds.',
        querystring: DomainQuery,
        response: { 200: DomainList },
      },
    },
    async ({ caller, query }) => {
      const answers = await identities.listIdentities(caller, query)
      return {
        data: answers.flatMap(({ account: { id, region }, answer: said }) =>
          said.kind === 'read'
            ? said.pages.flat().map((each) => ({ ...each, cloudAccountId: id, region }))
            : [],
        ),
        accounts: answers.map(({ account: { id, accountId, region }, answer: said }) => ({
          id,
          accountId,
          region,
          reachable: said.kind === 'read' || said.kind === 'missing',
        })),
      }
    },
  )

  app.get(
    '/v1/domains/:identity',
    {
      config: {
        scope: 'read',
        // This operation's 503 has a message of its own, whatever the reason is.
        fieldsOf503: ({ message }) => ({ message }),
      },
      schema: {
        tags,
        operationId: 'getDomain',
        summary: 'Get a domain or address with its DNS records',
        description:
          'Your accounts are asked in the order in which they were connected, until one has the domain or address. Fails with 404 if no account that answers has it: `details` names accounts that did not answer. Fails with 503 if no account answers.',
        params: DomainParams,
        querystring: DomainQuery,
        response: {
          200: Domain,
          503: { description: 'No account can be called. See Retry-After', ...DomainUnavailable },
        },
      },
    },
    async ({ caller, params, query }) => {
      const identity = asciiOf(params.identity)
      const { value, account, unreachableAccountIds } = await identities.findIdentity(
        caller,
        query,
        isIdentity(identity) ? identity : undefined,
      )
      return { ...value, cloudAccountId: account.id, region: account.region, unreachableAccountIds }
    },
  )
}

const OUTSIDE_ASCII = /[^\0-\x7f]/

/** Returns a name as the provider stores it: its domain in lower case and ASCII. */
function asciiOf(identity: string): string {
  const givenDomain = domainOf(identity)
  const local = identity.slice(0, identity.length - givenDomain.length)
  // Not always as long: `İ` becomes two.
  const domain = givenDomain.toLowerCase()
  // Of what is ASCII already, Node would make addresses: 0.0.0.0 of `0`.
  return `${local}${OUTSIDE_ASCII.test(domain) ? domainToASCII(domain) : domain}`
}
