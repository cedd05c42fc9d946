import { useEffect, useRef } from 'react'
import { isWide } from '../lib/use-is-wide.ts'

/**
 * The heading of a panel that somebody has opened: it gets the focus. Where the panel stands below
 * what was pressed, the page goes there.
 */
export function usePanelHeading() {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: isWide() }), [])
  return heading
}
