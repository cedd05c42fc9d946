import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLive } from '../lib/live.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Check } from '../ui/form.tsx'
import { Table } from '../ui/table.tsx'
import { PLACES } from './places.ts'

const Finder = lazy(async () => ({ default: (await import('./finder.tsx')).Finder }))

const KEY = 'shortcuts-off'
/** `g`, then a letter, within this time. */
const SECOND_KEY_MS = 1_500

/** Single letters are for pages, not for who is typing; and who dictates can turn them off. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function Shortcuts({ org }: { org: string }) {
  const navigate = useNavigate()
  const { toggle } = useLive()
  const [isOpen, setOpen] = useState(false)
  const [isOff, setOff] = useState(() => localStorage.getItem(KEY) === 'yes')
  const [isFinding, setFinding] = useState(false)
  const goesSince = useRef(Number.NEGATIVE_INFINITY)

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // Not a single letter: it is for who types, too.
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setFinding(true)
        return
      }
      if (isOff || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const key = event.key.toLowerCase()
      if (event.timeStamp - goesSince.current < SECOND_KEY_MS) {
        goesSince.current = Number.NEGATIVE_INFINITY
        const place = PLACES.find((each) => each.key === key)
        if (place) void navigate({ to: place.to, params: { org } })
        return
      }
      if (key === 'g') goesSince.current = event.timeStamp
      if (key === 'l') toggle()
      if (key === '?') setOpen(true)
      if (key === '/') focusOn(event, 'input[type=search]')
      if (key === 'n') focusOn(event, '[data-new]')
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOff, navigate, org, toggle])

  const rows = [
    ...PLACES.map(({ key, name }) => ({
      keys: `G, then ${key.toUpperCase()}`,
      what: `Go to ${name}`,
    })),
    { keys: 'Ctrl or ⌘, and K', what: 'Go to a page, contact, batch, template or workflow' },
    { keys: '/', what: 'Search this page' },
    { keys: 'N', what: 'Go to the button for a new one' },
    { keys: 'L', what: 'Pause or resume refreshing' },
    { keys: '?', what: 'Show this list' },
  ]
  return (
    <>
      {isFinding ? (
        <Suspense fallback={null}>
          <Finder org={org} isOpen close={() => setFinding(false)} />
        </Suspense>
      ) : null}
      <Dialog title="Keyboard shortcuts" isOpen={isOpen} close={() => setOpen(false)}>
        <Table
          caption="Keyboard shortcuts"
          columns={[
            { title: 'Keys', cell: ({ keys }) => keys },
            { title: 'What happens', cell: ({ what }) => what },
          ]}
          rows={rows}
          keyOf={({ keys }) => keys}
        />
        <Check
          label="Turn single-letter shortcuts off in this browser"
          checked={isOff}
          onChange={(event) => {
            const off = event.currentTarget.checked
            localStorage.setItem(KEY, off ? 'yes' : 'no')
            setOff(off)
          }}
        />
      </Dialog>
    </>
  )
}

function focusOn(event: KeyboardEvent, selector: string): void {
  const element = document.querySelector<HTMLElement>(selector)
  if (!element) return
  event.preventDefault()
  element.focus()
}
