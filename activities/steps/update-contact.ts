import { isDeepStrictEqual } from 'node:util'
import { updateContact as updated } from '../../src/domain/contact-update.ts'
import * as contactFields from '../../src/store/contact-fields.ts'
import type { StoredStep } from './step.ts'

/** Changes the contact. Updates by flows start no flows: see `contactFields.write`. */
export const updateContact: StoredStep<'update_contact'> = {
  where: 'local',
  locksContact: true,
  enter: async (tx, { execution: { organizationId, contactId }, step }) => {
    const before = await contactFields.read(tx, organizationId, contactId)
    if (!before) return { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
    const outcome = updated(before, step.config)
    if ('reason' in outcome) return { kind: 'failed', ...outcome }
    const { after } = outcome
    if (isDeepStrictEqual(before, after)) return { kind: 'skipped', reason: 'unchanged' }
    await contactFields.write(tx, organizationId, contactId, after)
    return { kind: 'done' }
  },
}
