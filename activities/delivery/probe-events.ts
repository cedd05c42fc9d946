import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'
import { ORGANIZATION_TAG, PROBE_TAG } from '../../src/domain/delivery/ses-event.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as probes from '../../src/store/delivery/probes.ts'
import type { SendingConnection } from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Mailer } from '../mailer.ts'

/** Takes a wanted probe with its permit. Undefined: none is to be sent now. */
export async function takeProbe(sql: Sql, sender: SendingConnection): Promise<string | undefined> {
  const { organizationId, connectionId } = sender
  const from = await probes.take(sql, organizationId, connectionId)
  if (from === undefined) return undefined
  const grant = await sendLimits.grantPermits(sql, sender, 1)
  if (grant.granted > 0) return from
  await probes.giveBack(sql, organizationId, connectionId)
  return undefined
}

/**
 * Sends a probe: a mail to the provider's simulator, when rows are in doubt and too few other mails
 * tell whether events arrive. A probe needs a permit like all mail, but has no row in the ledger.
 */
export async function sendProbe(
  { sql, mailer, timings }: { sql: Sql; mailer: Mailer; timings: Timings },
  sender: SendingConnection,
  from: string,
): Promise<void> {
  const { organizationId, connectionId } = sender
  const id = uuidv7()
  const beginBy = performance.now() + timings.beginMs
  const claimedAt = await probes.claim(sql, { organizationId, connectionId, id, from })
  const outcome = await mailer.send(
    {
      from,
      replyTo: null,
      to: SIMULATOR,
      subject: 'Probe',
      html: null,
      text: 'Asks whether delivery events arrive.',
      headers: [],
      tags: [
        { name: PROBE_TAG, value: id },
        { name: ORGANIZATION_TAG, value: organizationId },
      ],
    },
    { iamRole: sender, signedAt: new Date(claimedAt), beginBy },
  )
  if (outcome.kind === 'sent') await probes.recordAnswer(sql, organizationId, id)
}
