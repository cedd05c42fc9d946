import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import './menu.css'

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  children: ReactNode
  side?: 'top' | 'bottom'
  align?: 'start' | 'end'
}

export function Menu({ trigger, children, side = 'bottom', align = 'start' }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="menu-place" side={side} align={align} sideOffset={6}>
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export function MenuItem({
  icon,
  run,
  children,
}: {
  icon?: ReactNode
  run: () => void
  children: ReactNode
}) {
  return (
    <Base.Item className="menu-item" onClick={run}>
      {icon}
      {children}
    </Base.Item>
  )
}

interface ChoicesProps {
  label: string
  value: string
  choose: (value: string) => void
  choices: readonly { value: string; label: string }[]
}

export function MenuChoices({ label, value, choose, choices }: ChoicesProps) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(chosen: string) => choose(chosen)}>
        {choices.map((choice) => (
          <Base.RadioItem
            key={choice.value}
            value={choice.value}
            className="menu-item"
            closeOnClick
          >
            <span className="menu-mark">
              <Base.RadioItemIndicator>✓</Base.RadioItemIndicator>
            </span>
            {choice.label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}

export const MenuLine = () => <Base.Separator className="menu-line" />
