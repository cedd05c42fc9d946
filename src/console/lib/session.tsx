import { createContext, use } from 'react'
import { ApiFailure, failureOf } from '../../client/failure.ts'
import type { Client, Schemas } from '../../client/index.ts'
import { allows, type Scope } from '../../domain/access/access.ts'
import { clientOf, OWN_HEADER } from './api.ts'

export type Session = Schemas['CurrentSession']

/** Other tabs are told who signed in or out. */
export const CHANNEL = 'letterloom-session'

const call = async (path: string, method: string, body?: object): Promise<Response> => {
  const answer = await fetch(`/console/session${path}`, {
    method,
    headers: { ...OWN_HEADER, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw await failureOf(answer)
  return answer
}

/** Null: nobody is signed in. */
export async function readSession(): Promise<Session | null> {
  try {
    const answer = await call('', 'GET')
    return answer.status === 204 ? null : await answer.json()
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return null
    throw error
  }
}

export interface Credentials {
  email: string
  password: string
  keep: boolean
  organizationId?: string
}

export async function signIn(credentials: Credentials): Promise<Session> {
  return (await call('', 'POST', credentials)).json()
}

/** Somebody whose session has ended already is signed out, too. */
export async function signOut(): Promise<void> {
  try {
    await call('', 'DELETE')
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 401)) throw error
  }
}

export const switchOrganization = (organizationId: string): Promise<unknown> =>
  call('/switch', 'POST', { organizationId })

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('this page needs somebody who is signed in')
  return session
}

export const useClient = (): Client => clientOf(useSession().organization.id)

/** The first part of the address of every page of the organization. */
export const useOrganizationId = (): string => useSession().organization.id

/** Whether the person may do what asks for `scope`. */
export function useMay(scope: Scope): boolean {
  return allows(useSession().scopes, scope)
}
