import { badRequest, notFound } from '../aws/errors.ts'
import type { SesCall } from './call.ts'
import { addressProblem } from './checks.ts'
import { paged } from './identities.ts'
import { readPutSuppressed } from './wire.ts'

const MAX_PAGE = 1_000

const seconds = (time: string): number => Date.parse(time) / 1_000

/** SES v2 ListSuppressedDestinations. */
export function listSuppressed({ deps, account, query }: SesCall) {
  const reasons = query.getAll('Reason')
  const start = time(query.get('StartDate')) ?? 0
  const end = time(query.get('EndDate')) ?? Number.POSITIVE_INFINITY
  const list = deps.suppressions
    .list(account.accountNumber, account.region)
    .filter(({ reason }) => reasons.length === 0 || reasons.includes(reason))
    .filter(({ createdAt }) => Date.parse(createdAt) >= start && Date.parse(createdAt) <= end)
  const size = Number(query.get('PageSize') ?? MAX_PAGE)
  const { page, token } = paged(list, size, query.get('NextToken'))
  return {
    SuppressedDestinationSummaries: page.map(({ address, reason, createdAt }) => ({
      EmailAddress: address,
      Reason: reason,
      LastUpdateTime: seconds(createdAt),
    })),
    ...token,
  }
}

function time(text: string | null): number | undefined {
  if (text === null) return undefined
  const at = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text)
  if (Number.isNaN(at)) throw badRequest(`${text} is not a time`)
  return at
}

const missing = (address: string) =>
  notFound(`Email address ${address} does not exist on your suppression list.`)

/** SES v2 GetSuppressedDestination. */
export function getSuppressed({ deps, account }: SesCall, address: string) {
  const suppression = deps.suppressions.find(account.accountNumber, account.region, address)
  if (!suppression) throw missing(address)
  return {
    SuppressedDestination: {
      EmailAddress: suppression.address,
      Reason: suppression.reason,
      LastUpdateTime: seconds(suppression.createdAt),
    },
  }
}

/** SES v2 PutSuppressedDestination. */
export async function putSuppressed({ deps, account, body }: SesCall) {
  const { EmailAddress: address, Reason: reason } = readPutSuppressed(body)
  const problem = addressProblem(address)
  if (problem !== undefined) throw badRequest(problem)
  await deps.suppressions.put(account.accountNumber, account.region, { address, reason })
  return {}
}

/** SES v2 DeleteSuppressedDestination. */
export async function deleteSuppressed({ deps, account }: SesCall, address: string) {
  const removed = await deps.suppressions.remove(account.accountNumber, account.region, address)
  if (!removed) throw missing(address)
  return {}
}
