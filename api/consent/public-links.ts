import type { FastifyReply } from 'fastify'
import { addressed, addressedByHash } from '../../src/keys/addresses.ts'
import type { Brand } from '../../src/domain/content/brand.ts'
import { OURS, sayAs } from '../../src/domain/content/wording.ts'
import { badRequest } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { isBeingMailed } from '../../src/core/delivery/in-flight.ts'
import { unsubscribe } from '../../src/core/consent/unsubscribe.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { sendPage, wantsHtml } from '../http/html-pages.ts'

/**
 * Milliseconds after which mail that was claimed before a request has been handed to the provider.
 * A call begins within one second of its claim.
 */
const IN_FLIGHT_MS = 2_000

interface LinkFacts {
  organizationId: Uuid
  contactId: Uuid
  addressHash: Buffer
  topicId?: Uuid | undefined
  batchId?: Uuid | undefined
  mailId?: Uuid | undefined
}

/**
 * Unsubscribes the person of a link. Waits for mail that may still be in flight, since "You are
 * unsubscribed" must be true when the person reads it.
 */
export async function unsubscribeByLink(
  sql: Sql,
  keyring: Keyring,
  link: LinkFacts,
  requestId: string,
): Promise<void> {
  const { organizationId, contactId, topicId, batchId, mailId, addressHash } = link
  const acted = await unsubscribe(sql, organizationId, {
    contactId,
    addressHash,
    mailed: addressedByHash(keyring, addressHash),
    topicId,
    batchId,
    mailId,
    addressOf: (email) => addressed(keyring, organizationId, email),
    requestId,
  })
  await waitForMailInFlight(sql, organizationId, acted)
}

/** Waits until no mail that was claimed before can still reach the contacts. */
export async function waitForMailInFlight(
  sql: Sql,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  if (await isBeingMailed(sql, organizationId, contactIds)) await sleep(IN_FLIGHT_MS)
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export function voiceOf(brand: Brand | undefined) {
  const voice = brand ?? OURS
  return { say: sayAs(voice), page: { brand, language: voice.language } }
}

export function refuseLink(accept: string | undefined, reply: FastifyReply): FastifyReply {
  if (wantsHtml(accept)) {
    return sendPage(reply, {
      status: 400,
      title: 'This link does not work',
      body: '<p>It is not complete or no longer valid. Please use the link in the newest mail itself.</p>',
    })
  }
  throw badRequest('The link is not valid', [{ path: 'token', message: 'is invalid' }])
}
