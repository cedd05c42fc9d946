import {
  type Answer,
  compareRecord,
  placesOf,
  type WantedRecord,
  wantedRecords,
} from '../../src/domain/accounts/dns-records.ts'
import type { Identity } from '../../src/domain/accounts/identity.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { DnsResolver } from '../../src/net/resolver.ts'
import type { StoredIdentity } from '../../src/schemas/accounts/domain.ts'
import * as readings from '../../src/store/accounts/provider-readings.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { AskProviderInput } from '../../workflows/contract.ts'
import type { Identities } from '../provider.ts'

/** Time limit of one query to the provider. The API waits somewhat longer. */
const PROVIDER_MS = 6_000
/**
 * Time limit of all pages of a list. Ten thousand identities at one call a second take longer than
 * the API waits. The result serves the next request.
 */
const LIST_MS = 20_000
/** Time limit of all look-ups of an identity's records, which run at once. */
const DNS_MS = 1_500

export interface IdentityDeps {
  sql: Sql
  identities: Identities
  resolver: DnsResolver
}

export function createIdentityActivities(deps: IdentityDeps) {
  const { sql, identities, resolver } = deps

  async function readIdentities(input: AskProviderInput): Promise<{ version: string }> {
    const version = uuidv7()
    const question = await readings.take(sql, input)
    if (question === undefined) return { version }
    const outcome = await ask(input, question.subject, version)
    await readings.answer(sql, input, { outcome, version })
    return { version }
  }

  async function ask(
    input: AskProviderInput,
    subject: string | null,
    version: string,
  ): Promise<readings.Outcome> {
    const sender = await senders.find(sql, input.organizationId, input.connectionId)
    if (!sender || sender.disconnected) return 'denied'
    if (subject !== null) {
      const answer = await identities.find(sender, subject, AbortSignal.timeout(PROVIDER_MS))
      if (answer.kind !== 'told') return answer.kind
      if (answer.value === undefined) return 'missing'
      const body = await withRecords(answer.value, sender.region)
      await readings.addPage(sql, input, { version, page: 0, body })
      return 'read'
    }
    const listSignal = AbortSignal.timeout(LIST_MS)
    const signalOfPage = () => AbortSignal.any([listSignal, AbortSignal.timeout(PROVIDER_MS)])
    let pageNumber = 0
    // Stored page by page, since an account may have ten thousand identities.
    for await (const page of identities.list(sender, signalOfPage)) {
      if (page.kind !== 'told') return page.kind
      await readings.addPage(sql, input, { version, page: pageNumber++, body: page.value })
    }
    return 'read'
  }

  async function withRecords(identity: Identity, region: string): Promise<StoredIdentity> {
    const signal = AbortSignal.timeout(DNS_MS)
    const records = wantedRecords(identity, region)
    const dnsRecords = await Promise.all(
      records.map(async (record) => ({ ...record, ...(await stateOf(record, signal)) })),
    )
    return { ...identity, dnsRecords }
  }

  async function stateOf(record: WantedRecord, signal: AbortSignal) {
    const places = placesOf(record)
    const answers = await Promise.all(
      places.map((name) => resolver.resolve(name, record.type, signal)),
    )
    const judged = answers.map((answer: Answer) => compareRecord(record, answer))
    // The nearest name with an answer decides. A name without one might have had it.
    return (
      judged.find(({ state }) => state !== 'missing') ?? { state: 'missing' as const, found: [] }
    )
  }

  return { readIdentities }
}
