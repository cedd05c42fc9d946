import { type ReactNode, useEffect, useId, useRef } from 'react'
import './filters.css'

const TYPING_MS = 400

export const Filters = ({ children }: { children: ReactNode }) => (
  <search className="filters">{children}</search>
)

interface SearchProps {
  label: string
  value: string | undefined
  change: (text: string) => void
}

/** Looks once somebody has stopped typing. */
export function Search({ label, value, change }: SearchProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const field = useRef<HTMLInputElement>(null)
  const searched = useRef(value ?? '')
  useEffect(() => {
    // Something else changed the address, such as the browser's way back.
    if (!field.current || searched.current === (value ?? '')) return
    searched.current = value ?? ''
    field.current.value = searched.current
  }, [value])
  return (
    <input
      ref={field}
      type="search"
      className="input"
      aria-label={label}
      placeholder={label}
      defaultValue={value ?? ''}
      onInput={(event) => {
        const text = event.currentTarget.value.trim()
        clearTimeout(timer.current)
        timer.current = setTimeout(() => {
          searched.current = text
          change(text)
        }, TYPING_MS)
      }}
    />
  )
}

interface FilterSelectProps {
  label: string
  value: string | undefined
  change: (chosen: string) => void
  choices: readonly { value: string; label: string }[]
  /** Instead of a choice: everything. Without it one of the choices is always chosen. */
  all?: string
}

export function FilterSelect({ label, value, change, choices, all }: FilterSelectProps) {
  const id = useId()
  return (
    <span className="filter">
      <label htmlFor={id} className="read-aloud">
        {label}
      </label>
      <select
        id={id}
        className="input"
        value={value ?? ''}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {all === undefined ? null : <option value="">{all}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </span>
  )
}
