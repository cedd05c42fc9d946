import { Gauge, type LucideIcon, Settings } from 'lucide-react'

export interface Place {
  /** Within the organization: `/contacts`. */
  to: '/$org' | '/$org/settings'
  name: string
  icon: LucideIcon
  group: string
  /** Pressed after `g`. */
  key: string
  /** Also in the bar at the bottom of a phone. */
  isMain?: boolean
}

/** The pages, in the order of the rail. */
export const PLACES: readonly Place[] = [
  { to: '/$org', name: 'Overview', icon: Gauge, group: '', key: 'o', isMain: true },
  { to: '/$org/settings', name: 'Settings', icon: Settings, group: 'Organization', key: 's' },
]
