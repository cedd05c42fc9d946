import { useSyncExternalStore } from 'react'

/** There is room for things beside each other. */
const WIDE = '(min-width: 1024px)'

function watch(tell: () => void): () => void {
  const media = matchMedia(WIDE)
  media.addEventListener('change', tell)
  return () => media.removeEventListener('change', tell)
}

export const isWide = (): boolean => matchMedia(WIDE).matches

export const useIsWide = (): boolean => useSyncExternalStore(watch, isWide)
