import { normalAddress } from '../domain/text.ts'
import { uuidv7 } from '../ids.ts'
import * as apiKeys from '../store/access/api-keys.ts'
import * as members from '../store/access/members.ts'
import * as organizations from '../store/access/organizations.ts'
import type { Sql } from '../store/db/sql.ts'
import { newApiKey } from '../tokens.ts'
import { note } from './note.ts'

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
    const email = normalAddress(ownerEmail)
    const userId = await members.findOrAddPerson(tx, { id: uuidv7(), email, name: ownerName })
    const role = 'owner'
    await members.add(tx, { organizationId, userId, role, givenName: null })
    await note(tx, organizationId, 'member.added', { kind: 'user', id: userId }, { role })
    const { key, prefix, hash } = newApiKey()
    const scopes = ['full']
    const made = { organizationId, id: uuidv7(), name: 'First key', prefix, hash, scopes }
    const { id } = await apiKeys.create(tx, made)
    await note(tx, organizationId, 'api_key.created', { kind: 'api_key', id }, { scopes })
    return { organizationId, key }
  })
