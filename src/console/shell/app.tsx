import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LiveProvider } from '../lib/live.tsx'
import { CHANNEL, readSession, SessionContext } from '../lib/session.tsx'
import { queryClient, SESSION_KEY } from '../lib/queries.ts'
import { router } from '../routes.tsx'
import { Failure } from '../ui/states.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { SignIn } from './sign-in.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <LiveProvider>
          <Gate />
        </LiveProvider>
      </ToastProvider>
    </QueryClientProvider>
  )
}

/** Nobody sees a page who is not signed in; who is, is known to all of them. */
function Gate() {
  const {
    data: session,
    error,
    refetch,
  } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: readSession,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  useEffect(() => followOtherTabs(), [])
  if (session === undefined) {
    return error ? (
      <main className="alone">
        <Failure error={error} retry={refetch} />
      </main>
    ) : (
      <div className="frame" aria-hidden="true">
        <div className="frame-rail" />
      </div>
    )
  }
  if (session === null) return <SignIn />
  return (
    <SessionContext value={session}>
      <RouterProvider router={router} />
    </SessionContext>
  )
}

/** Who signs out or switches in one tab does so in all of them. */
function followOtherTabs(): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', () => {
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  })
  return () => channel.close()
}
