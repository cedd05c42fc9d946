import {
  FileCode,
  Gauge,
  type LucideIcon,
  ScrollText,
  Send,
  Server,
  Settings,
  Users,
} from 'lucide-react'

export interface Place {
  /** Within the organization: `/contacts`. */
  to:
    | '/$org'
    | '/$org/contacts'
    | '/$org/batches'
    | '/$org/templates'
    | '/$org/logs'
    | '/$org/accounts'
    | '/$org/settings'
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
  {
    to: '/$org/contacts',
    name: 'Contacts',
    icon: Users,
    group: 'People',
    key: 'c',
    isMain: true,
  },
  { to: '/$org/batches', name: 'Batches', icon: Send, group: 'Sending', key: 'b', isMain: true },
  { to: '/$org/templates', name: 'Templates', icon: FileCode, group: 'Sending', key: 'e' },
  { to: '/$org/logs', name: 'Logs', icon: ScrollText, group: 'What happened', key: 'm' },
  {
    to: '/$org/accounts',
    name: 'Accounts',
    icon: Server,
    group: 'Organization',
    key: 'a',
  },
  { to: '/$org/settings', name: 'Settings', icon: Settings, group: 'Organization', key: 's' },
]
