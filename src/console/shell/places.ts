import {
  Ban,
  ChartColumn,
  FileCode,
  Gauge,
  type LucideIcon,
  Newspaper,
  ScrollText,
  Send,
  Server,
  Settings,
  Shapes,
  Users,
  Workflow,
} from 'lucide-react'

export interface Place {
  /** Within the organization: `/contacts`. */
  to:
    | '/$org'
    | '/$org/contacts'
    | '/$org/segments'
    | '/$org/topics'
    | '/$org/suppressions'
    | '/$org/batches'
    | '/$org/templates'
    | '/$org/workflows'
    | '/$org/logs'
    | '/$org/metrics'
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
  { to: '/$org/segments', name: 'Segments', icon: Shapes, group: 'People', key: 'p' },
  { to: '/$org/topics', name: 'Topics', icon: Newspaper, group: 'People', key: 't' },
  { to: '/$org/suppressions', name: 'Suppressions', icon: Ban, group: 'People', key: 'x' },
  { to: '/$org/batches', name: 'Batches', icon: Send, group: 'Sending', key: 'b', isMain: true },
  { to: '/$org/templates', name: 'Templates', icon: FileCode, group: 'Sending', key: 'e' },
  {
    to: '/$org/workflows',
    name: 'Workflows',
    icon: Workflow,
    group: 'Sending',
    key: 'w',
    isMain: true,
  },
  { to: '/$org/logs', name: 'Logs', icon: ScrollText, group: 'What happened', key: 'm' },
  { to: '/$org/metrics', name: 'Metrics', icon: ChartColumn, group: 'What happened', key: 'f' },
  {
    to: '/$org/accounts',
    name: 'Accounts',
    icon: Server,
    group: 'Organization',
    key: 'a',
  },
  { to: '/$org/settings', name: 'Settings', icon: Settings, group: 'Organization', key: 's' },
]
