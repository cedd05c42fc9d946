import { domainToASCII } from 'node:url'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError, notFound } from '../../src/domain/errors.ts'
import { domainOf, isIdentity, type ListedIdentity } from '../../src/domain/identity.ts'
import { isUuid } from '../../src/ids.ts'
import {
  Domain,
  DomainList,
  DomainParams,
  DomainQuery,
  DomainUnavailable,
  type StoredIdentity,
} from '../../src/schemas/domain.ts'
import * as connections from '../../src/store/connections.ts'
import { eachOf, search, type Searched } from '../account-search.ts'
import { unavailable } from '../asker.ts'
import type { Caller } from '../auth.ts'
import type { TenantDeps } from '../deps.ts'
import { askAccount } from '../live-readings.ts'
import { missing } from '../ownership.ts'
import { createWaitingRoom } from '../waiting-room.ts'

const tags = ['domains']
/** An account that has not answered by then is reported as unreachable. */
const ANSWER_MS = 8_000
const RETRY_AFTER_SECONDS = 5
/** Accounts asked at once by one request: half of what the organization may ask. */
const MOST_AT_ONCE = 50

/** Sending identities, read live: providers are asked by a workflow's activity, never from here. */
export const domainRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { asker, now } = deps
  const waiting = createWaitingRoom()

  app.get(
    '/v1/domains',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listDomains',
        summary: 'List the domains and addresses that your accounts send as',
        description:
          'Read live from all connected accounts at once, at most 15 seconds old. An account that cannot be asked, or does not answer in time, has `reachable` false and fails nothing.',
        querystring: DomainQuery,
        response: { 200: DomainList },
      },
    },
    async ({ caller, query }) => {
      const accounts = await accountsOf(caller, query.cloudAccountId)
      const until = now() + ANSWER_MS
      const asked = await waiting(caller.organizationId, () =>
        eachOf(accounts, MOST_AT_ONCE, async (account) => ({
          account,
          said: await identitiesOf(account),
        })),
      )
      const hasAnswer = asked.some(({ said }) => said.kind === 'read' || said.kind === 'missing')
      if (!hasAnswer && asked.some(({ said }) => said.kind === 'not_asked')) throw unavailable()
      return {
        data: asked.flatMap(({ account: { id, region }, said }) =>
          said.kind === 'read'
            ? said.pages.flat().map((each) => ({ ...each, cloudAccountId: id, region }))
            : [],
        ),
        accounts: asked.map(({ account: { id, accountId, region }, said }) => ({
          id,
          accountId,
          region,
          reachable: said.kind === 'read' || said.kind === 'missing',
        })),
      }

      async function identitiesOf({ id: connectionId, disconnectedAt }: connections.Account) {
        if (disconnectedAt !== null) return { kind: 'unreachable' as const }
        const { organizationId, sql } = caller
        return askAccount<ListedIdentity[]>(asker, { sql, organizationId, connectionId, until })
      }
    },
  )

  app.get(
    '/v1/domains/:identity',
    {
      config: {
        scope: 'read',
        // The specification's fields for this operation's 503, whatever the reason is.
        fieldsOf503: ({ message }) => ({ message }),
      },
      schema: {
        tags,
        operationId: 'getDomain',
        summary: 'Get a domain or address with the DNS records that it needs',
        description:
          'Your accounts are asked in the order they were connected, until one has it. 404 when none that answers has it; `details` names those that did not answer. 503 only when none answers.',
        params: DomainParams,
        querystring: DomainQuery,
        response: {
          200: Domain,
          503: { description: 'No account can be asked; see Retry-After', ...DomainUnavailable },
        },
      },
    },
    async ({ caller, params, query }) => {
      const accounts = await accountsOf(caller, query.cloudAccountId)
      const connected = accounts.filter(({ disconnectedAt }) => disconnectedAt === null)
      const identity = asciiOf(params.identity)
      if (!isIdentity(identity) || connected.length === 0) throw notFound('Identity')
      const until = now() + ANSWER_MS
      const { organizationId, sql } = caller
      let isAnyNotAsked = false
      const searched = await waiting(organizationId, () =>
        search(connected, until, now, async ({ id: connectionId }) => {
          const question = { sql, organizationId, connectionId, identity, until }
          const said = await askAccount<StoredIdentity>(asker, question)
          if (said.kind === 'missing') return undefined
          isAnyNotAsked ||= said.kind === 'not_asked'
          return said.kind === 'read' ? said.pages[0] : 'unreachable'
        }),
      )
      const unreachableAccountIds = searched.unreachable.map(({ id }) => id)
      if (!searched.found) {
        const isNoAnswer = searched.unreachable.length === connected.length
        throw isNoAnswer && isAnyNotAsked ? unavailable() : nowhere(searched, connected.length)
      }
      const { value, account } = searched.found
      return { ...value, cloudAccountId: account.id, region: account.region, unreachableAccountIds }
    },
  )

  /** The account that was named, or all that are connected, in the order they were. */
  async function accountsOf({ organizationId, sql }: Caller, id: string | undefined) {
    if (id === undefined) return connections.listAccounts(sql, organizationId)
    const account = isUuid(id) ? await connections.findAccount(sql, organizationId, id) : undefined
    if (!account) throw await missing(sql, 'connection', organizationId, id)
    return [account]
  }
}

const OUTSIDE_ASCII = /[^\0-\x7f]/

/** A name as the provider has it: its domain in lower case and ASCII. */
function asciiOf(identity: string): string {
  const given = domainOf(identity)
  const local = identity.slice(0, identity.length - given.length)
  // Not always as long: `İ` becomes two.
  const domain = given.toLowerCase()
  // Of what is ASCII already, Node would make addresses: 0.0.0.0 of `0`.
  return `${local}${OUTSIDE_ASCII.test(domain) ? domainToASCII(domain) : domain}`
}

function nowhere({ unreachable }: Searched<unknown, connections.Account>, asked: number): AppError {
  if (unreachable.length < asked) {
    if (unreachable.length === 0) return notFound('Identity')
    return new AppError('NOT_FOUND', 'No account that answers has this identity', {
      reason: 'accounts_unreachable',
      details: unreachable.map(({ id }) => ({
        path: 'cloudAccountId',
        message: `${id} did not answer`,
      })),
    })
  }
  const message = 'None of the connected accounts can be reached'
  return new AppError('INTERNAL_ERROR', message, {
    status: 503,
    reason: 'accounts_unreachable',
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })
}
