import { QueryClient } from '@tanstack/react-query'
import { onRefusal } from './api.ts'
import { CONFIG_KEY } from './config.ts'
import { dropDrafts } from './drafts.ts'
import { CHANNEL, type Session, signOut } from './session.tsx'

export const SESSION_KEY = ['session']
/** Whether the session ended while its page was open. */
export const ENDED_KEY = ['session-ended']

const FRESH_MS = 5_000

/** One cache of what the API answered. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The client of the API tries again by itself what may be repeated.
      retry: false,
    },
  },
})

// What is refused for want of a session opens the sign-in over the page: what was typed stays.
onRefusal(({ status, reason }) => {
  if (status === 401) queryClient.setQueryData(ENDED_KEY, true)
  if (reason === 'organization_changed') {
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  }
})

/** The same person goes on where they were; another one begins anew. */
export function startSession(session: Session): void {
  const before = queryClient.getQueryData<Session | null>(SESSION_KEY)
  if (before?.user.id !== session.user.id) forget()
  queryClient.setQueryData(SESSION_KEY, session)
  queryClient.setQueryData(ENDED_KEY, false)
  if (before?.user.id === session.user.id) void queryClient.invalidateQueries()
  tellOtherTabs()
}

export async function endSession(): Promise<void> {
  await signOut()
  forget()
  queryClient.setQueryData(SESSION_KEY, null)
  tellOtherTabs()
}

/** Drops what was seen and typed. Who is signed in is watched by the page itself. */
function forget(): void {
  dropSeen()
  dropDrafts()
}

const KEPT = new Set<unknown>([...SESSION_KEY, ...ENDED_KEY, ...CONFIG_KEY])

/** Drops what the API answered. */
export function dropSeen(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) })
}

export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // It reaches pages of this origin only.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage('changed')
  channel.close()
}
