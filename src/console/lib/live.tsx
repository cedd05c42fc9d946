import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { nextAskMs } from './pace.ts'
import { onLimit, refusedUntil, slowness } from './request-limit.ts'

interface Live {
  isLive: boolean
  toggle: () => void
}

const LiveContext = createContext<Live>({ isLive: true, toggle: () => {} })

/** The switch that stops all pages from refreshing by themselves. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [isLive, setLive] = useState(true)
  const value = useMemo(() => ({ isLive, toggle: () => setLive((before) => !before) }), [isLive])
  return <LiveContext value={value}>{children}</LiveContext>
}

export const useLive = (): Live => use(LiveContext)

interface RefreshedQuery<Data> {
  state: {
    data: Data | undefined
    fetchFailureCount: number
    errorUpdateCount: number
    status: string
  }
}

/**
 * The `refetchInterval` of a query. Hidden tabs ask nothing: the query client sees to that.
 *
 * @param everyMs milliseconds between two requests, by what came last; false: never again
 */
export function useRefresh<Data>(everyMs: number | ((data: Data | undefined) => number | false)) {
  const { isLive } = useLive()
  return useCallback(
    ({ state }: RefreshedQuery<Data>): number | false =>
      nextAskMs({
        everyMs: typeof everyMs === 'number' ? everyMs : everyMs(state.data),
        isLive,
        slowness: slowness(),
        failures: state.status === 'error' ? Math.max(1, state.fetchFailureCount) : 0,
      }),
    [isLive, everyMs],
  )
}

/** How many times slower than usual pages refresh, and until when the API refuses. */
export function useLimit(): { slowness: number; refusedUntil: number } {
  const slow = useSyncExternalStore(onLimit, slowness)
  const until = useSyncExternalStore(onLimit, refusedUntil)
  return { slowness: slow, refusedUntil: until }
}
