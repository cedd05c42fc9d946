import { isDeepStrictEqual } from 'node:util'
import { addressed } from '../../../src/keys/addresses.ts'
import { refusalText } from '../../../src/core/contacts/rows.ts'
import { upsertOnce } from '../../../src/core/contacts/upsert.ts'
import { updateContact as updated } from '../../../src/domain/flows/contact-update.ts'
import * as contacts from '../../../src/store/contacts/writes.ts'
import type { Keyring } from '../../../src/keys/tokens.ts'
import type { StoredStep } from './step.ts'

interface UpdateContactDeps {
  keyring: Keyring
}

/**
 * Changes the contact. The change starts no flow, since two flows that answer each other's changes
 * would never stop.
 */
export const createUpdateContact = ({
  keyring,
}: UpdateContactDeps): StoredStep<'update_contact'> => ({
  where: 'local',
  locksContact: true,
  enter: async (tx, { execution: { organizationId, contactId }, step }) => {
    const before = await contacts.read(tx, organizationId, contactId)
    if (!before) return { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
    const outcome = updated(before, step.config)
    if ('reason' in outcome) return { kind: 'failed', ...outcome }
    if (isDeepStrictEqual(before, { ...before, ...outcome.after })) {
      return { kind: 'skipped', reason: 'unchanged' }
    }
    const row = { index: 0, id: contactId, values: outcome.after }
    const { results } = await upsertOnce(tx, organizationId, [row], {
      mode: 'replace',
      source: 'api',
      addressOf: (email) => addressed(keyring, organizationId, email),
      mayLift: false,
      locked: [before],
      startsFlows: false,
    })
    const [result] = results
    if (result?.status === 'failed') {
      return { kind: 'failed', reason: 'properties_refused', error: refusalText(result.refusal) }
    }
    return { kind: 'done' }
  },
})
