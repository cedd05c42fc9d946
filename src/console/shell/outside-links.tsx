import { ExternalLink } from 'lucide-react'
import type { ConsoleConfig } from '../lib/config.ts'
import './outside-links.css'

/** Other pages of this installation. */
export function OutsideLinks({ config }: { config: ConsoleConfig | undefined }) {
  const links = [
    { href: '/docs', name: 'API documentation' },
    { href: '/tools', name: 'Deliverability tools' },
    ...(config?.inboxUrl === undefined ? [] : [{ href: config.inboxUrl, name: 'Inbox' }]),
    ...(config?.temporalUiUrl === undefined
      ? []
      : [{ href: config.temporalUiUrl, name: 'Temporal UI' }]),
  ]
  return (
    <ul className="outside" aria-label="Other pages">
      {links.map(({ href, name }) => (
        <li key={href}>
          <a href={href} target="_blank" rel="noreferrer">
            {name}
            <ExternalLink aria-hidden="true" size={13} />
            <span className="read-aloud"> (opens in a new tab)</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
