import { addressedByHash } from '../../src/keys/addresses.ts'
import { personNames } from '../../src/core/privacy/person-names.ts'
import * as erasedFlows from '../../src/store/privacy/erased-flows.ts'
import * as erasedMails from '../../src/store/privacy/erased-mails.ts'
import * as erasedRecords from '../../src/store/privacy/erased-records.ts'
import * as erasures from '../../src/store/privacy/erasures.ts'
import * as formerAddresses from '../../src/store/privacy/former-addresses.ts'
import * as hookDeliveries from '../../src/store/hooks/hook-deliveries.ts'
import * as importReports from '../../src/store/privacy/import-reports.ts'
import { type Executor, type Sql, transact } from '../../src/store/db/sql.ts'
import * as phoneConsents from '../../src/store/consent/phone-consents.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { addressHash } from '../../src/keys/tokens.ts'
import type { EraseContactInput } from '../../workflows/contract.ts'
import type { BatchContentDeps } from '../batches/batch-mails.ts'
import { withHeartbeat } from '../with-heartbeat.ts'

const PAGE = 200
/** Pages of one activity, after which the workflow sees the progress. */
const PAGES = 50

export interface ErasureDeps {
  sql: Sql
  content: Pick<BatchContentDeps, 'keyring'>
  erasurePage?: number
}

/**
 * Activities that erase a contact. All are safe to repeat, since erased data is not found again.
 * Inputs and results contain no personal data, as histories store them.
 */
export function createErasureActivities({ sql, content, erasurePage = PAGE }: ErasureDeps) {
  const { keyring } = content
  const load = async (
    { organizationId, erasureId }: EraseContactInput,
    executor: Executor = sql,
  ) => {
    const erasure = await erasures.findRunning(executor, organizationId, erasureId)
    if (!erasure) return undefined
    const { contactId, contactIds, email, phone, externalId, requestedAt: until } = erasure
    const addresses = await formerAddresses.listOf(executor, organizationId, contactIds)
    const names = personNames(organizationId, { contactIds, email, phone, addresses })
    return {
      contactId,
      mailed: {
        organizationId,
        contactIds,
        addressHashes: [...names.emailHashes, ...names.phoneHashes],
        until,
      },
      person: { ...names, until },
      externalId,
    }
  }
  const byHash = (hashes: readonly string[]) =>
    hashes.map((hash) => addressedByHash(keyring, Buffer.from(hash, 'hex')))

  return {
    beginErasure: async (input: EraseContactInput): Promise<boolean> => {
      const { organizationId, erasureId } = input
      await erasures.noteHorizon(sql, organizationId, erasureId)
      return (await load(input)) !== undefined
    },

    /** Empties some pages of the contact's mails. `more`: there may be others right away. */
    eraseMails: (input: EraseContactInput): Promise<{ more: boolean }> =>
      withHeartbeat(async () => {
        const { organizationId, erasureId } = input
        const erasure = await load(input)
        if (!erasure) return { more: false }
        const { mailed, contactId } = erasure
        for (let page = 0; page < PAGES; page++) {
          const keys = await erasedMails.listSettled(sql, mailed, erasurePage)
          if (keys.length === 0) return { more: false }
          await transact(sql, async (tx) => {
            let count = 0
            const recipients = new Set<string>()
            for (const [bucket, ids] of byBucket(keys)) {
              const emptied = await erasedMails.empty(tx, mailed, bucket, ids)
              count += emptied.count
              for (const each of emptied.recipients) recipients.add(each)
            }
            // Addresses from before changes of addresses were recorded.
            const hashes = [...recipients].map((each) => hashOf(organizationId, each))
            await formerAddresses.add(tx, organizationId, contactId, hashes)
            await erasures.countMails(tx, organizationId, erasureId, count)
          })
        }
        return { more: true }
      }),

    /**
     * Erases the person from flows, stored answers, failed events and import reports. Returns false
     * while a transaction that may have read the contact is still running, since the erasure must
     * then be repeated.
     */
    eraseRecords: (input: EraseContactInput): Promise<boolean> =>
      withHeartbeat(async () => {
        const { organizationId, erasureId } = input
        if (!(await erasures.horizonPassed(sql, organizationId, erasureId))) return false
        const erasure = await load(input)
        if (!erasure) return true
        await erasedFlows.erase(sql, organizationId, erasure.person.contactIds)
        await erasedRecords.redactAnswers(sql, organizationId, erasure.person)
        await erasedRecords.emptyEventsAside(sql, organizationId, erasure.person)
        await importReports.emptyNaming(sql, organizationId, erasure)
        await hookDeliveries.emptyOf(sql, organizationId, erasure.person.contactIds)
        return true
      }),

    /**
     * Completes the erasure if no mail of the contact is left, and no waiting event may report
     * another program's mail to them. Otherwise returns false.
     */
    completeErasure: (input: EraseContactInput): Promise<boolean> =>
      transact(sql, async (tx) => {
        const { organizationId, erasureId } = input
        const erasure = await load(input, tx)
        if (!erasure) return true
        const { person, mailed } = erasure
        if (await erasedRecords.anyEventWaits(tx, organizationId, person)) return false
        if (await erasedMails.anyLeft(tx, mailed)) return false
        await suppressions.forgetAddresses(tx, organizationId, byHash(person.emailHashes))
        await phoneConsents.forgetPhones(tx, organizationId, byHash(person.phoneHashes))
        await erasures.complete(tx, organizationId, erasureId)
        return true
      }),
  }
}

const hashOf = (organizationId: Uuid, email: string): string =>
  addressHash(organizationId, email).toString('hex')

function byBucket(keys: readonly erasedMails.MailKey[]): [string, string[]][] {
  const buckets = new Map<string, string[]>()
  for (const { bucket, id } of keys) {
    const ids = buckets.get(bucket)
    if (ids) ids.push(id)
    else buckets.set(bucket, [id])
  }
  return [...buckets].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
