import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  LoaderCircle,
  TriangleAlert,
} from 'lucide-react'
import { statusOf, type StatusList, type Tone } from '../lib/statuses.ts'
import './status.css'

const ICONS = {
  good: CircleCheck,
  busy: LoaderCircle,
  waiting: CircleDashed,
  careful: TriangleAlert,
  bad: CircleAlert,
  gone: CircleSlash,
} as const satisfies Record<Tone, unknown>

/** A status in an icon, a word and a colour: never by its colour alone. */
export function Status({ list, value }: { list: StatusList; value: string }) {
  const { tone, word } = statusOf(list, value)
  return <Mark tone={tone}>{word}</Mark>
}

export function Mark({ tone, children }: { tone: Tone; children: string }) {
  const Icon = ICONS[tone]
  return (
    <span className={`status ${tone}`}>
      <Icon aria-hidden="true" size={16} strokeWidth={2} />
      {children}
    </span>
  )
}
