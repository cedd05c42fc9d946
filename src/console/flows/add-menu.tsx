import { Plus } from 'lucide-react'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type { StepType } from '../../domain/flows/flow.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import type { FlowDraft } from './flow-draft.ts'
import type { Editing } from './flow-list.tsx'
import { type Place, targetOf } from './flow-tree.ts'
import { STEP_WORDS } from './flow-words.ts'

/** Text messages need a transport that is not there yet. */
const ADDED = [
  'send_email',
  'delay',
  'wait_for_event',
  'wait_for_email_engagement',
  'condition',
  'split',
  'update_contact',
  'subscribe_topic',
  'unsubscribe_topic',
  'webhook',
  'exit',
] as const satisfies readonly StepType[]

interface AddMenuProps {
  /** After what, for who cannot see it. */
  where: string
  place: Place
  draft: FlowDraft
  editing: Editing
}

/** Adds a step here, or leads the way to one that is there. */
export function AddMenu({ where, place, draft, editing }: AddMenuProps) {
  const next = targetOf(draft.transitions, place)
  const others = draft.steps.filter(({ id }) => id !== next)
  return (
    <Menu
      trigger={
        <button type="button" className="flow-add">
          <Plus aria-hidden="true" size={14} />
          <span className="read-aloud">Add a step after {where}</span>
        </button>
      }
    >
      {ADDED.map((type) => {
        const { name, icon: Icon } = STEP_WORDS[type]
        return (
          <MenuItem
            key={type}
            icon={<Icon aria-hidden="true" />}
            run={() => editing.add(place, type)}
          >
            {name}
          </MenuItem>
        )
      })}
      {place.from === TRIGGER || others.length === 0 ? null : <MenuLine />}
      {place.from === TRIGGER || next === undefined ? null : (
        <MenuItem run={() => editing.lead(place, undefined)}>End here</MenuItem>
      )}
      {others.map(({ id, name }) => (
        <MenuItem key={id} run={() => editing.lead(place, id)}>
          Go on at “{name}”
        </MenuItem>
      ))}
    </Menu>
  )
}
