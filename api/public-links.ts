import type { FastifyReply } from 'fastify'
import { addressed, addressedByHash } from '../src/addresses.ts'
import { badRequest } from '../src/domain/errors.ts'
import type { Uuid } from '../src/ids.ts'
import { isBeingMailed } from '../src/store/in-flight.ts'
import { leave } from '../src/store/leaving.ts'
import type { Sql } from '../src/store/sql.ts'
import type { Keyring } from '../src/tokens.ts'
import { sendPage, wantsHtml } from './html.ts'

/**
 * A mail whose claim was committed before we were asked is gone after this: see the order of a
 * send.
 */
const SETTLING_MS = 2_000

/** Who leaves: which topic or all, because of which batch. */
interface LeavingLink {
  organizationId: Uuid
  contactId: Uuid
  addressHash: Buffer
  topicId?: Uuid | undefined
  batchId?: Uuid | undefined
}

/**
 * What a link asks for, done and true: "you are unsubscribed" must hold when it is read, so a mail
 * on its way is waited for.
 */
export async function leaveByLink(
  sql: Sql,
  keyring: Keyring,
  link: LeavingLink,
  requestId: string,
): Promise<void> {
  const { organizationId, contactId, topicId, batchId, addressHash } = link
  const acted = await leave(sql, organizationId, {
    contactId,
    addressHash,
    mailed: addressedByHash(keyring, addressHash),
    topicId,
    batchId,
    addressOf: (email) => addressed(keyring, organizationId, email),
    requestId,
  })
  await settle(sql, organizationId, acted)
}

/** Until no mail that was decided before can reach the contacts any more. */
export async function settle(
  sql: Sql,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  if (await isBeingMailed(sql, organizationId, contactIds)) await sleep(SETTLING_MS)
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * `ada@example.com` → `a••@e••••••.com`: enough to know one's own, not enough to learn another's.
 */
export function mask(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const dot = domain.lastIndexOf('.')
  return `${dim(local)}@${dim(domain.slice(0, dot))}${domain.slice(dot)}`
}

const dim = (text: string): string =>
  `${text.slice(0, 1)}${'•'.repeat(Math.max(text.length - 1, 2))}`

/** A link that we did not make: a page for people, a 400 for programs. */
export function refuseLink(accept: string | undefined, reply: FastifyReply): FastifyReply {
  if (wantsHtml(accept)) {
    return sendPage(reply, {
      status: 400,
      title: 'This link does not work',
      body: '<p>It is not complete or no longer valid. Please use the link in the newest mail itself.</p>',
    })
  }
  throw badRequest('The link is not valid', [{ path: 'token', message: 'is not one of ours' }])
}
