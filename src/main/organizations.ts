import { uuidv7 } from '../ids.ts'
import * as apiKeys from '../store/api-keys.ts'
import * as organizations from '../store/organizations.ts'
import type { Sql } from '../store/sql.ts'
import { newApiKey } from '../tokens.ts'

interface NewOrganization {
  name: string
  ownerEmail: string
  ownerName: string
  /** A name of `plans`; absent: free. */
  plan?: string
}

/**
 * Makes an organization with its owner and a first key of full scope. The key is shown only here.
 */
export const createOrganization = (
  sql: Sql,
  { name, ownerEmail, ownerName, plan }: NewOrganization,
) =>
  sql.begin(async (tx) => {
    const organizationId = uuidv7()
    await organizations.create(tx, { id: organizationId, name, plan })
    await organizations.addOwner(tx, organizationId, {
      id: uuidv7(),
      email: ownerEmail.trim().toLowerCase(),
      name: ownerName,
    })
    const { key, prefix, hash } = newApiKey()
    await apiKeys.create(tx, {
      organizationId,
      id: uuidv7(),
      name: 'First key',
      prefix,
      hash,
      scopes: ['full'],
    })
    return { organizationId, key }
  })
