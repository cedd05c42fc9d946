import {
  createContext,
  type ReactNode,
  type SyntheticEvent,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'
import { explain, type Explanation } from '../lib/explain.ts'
import { SessionContext } from '../lib/session.tsx'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'
import { useToast } from './toast.tsx'
import './form.css'

export type Values = Record<string, string>

interface FormState {
  isBusy: boolean
  problem: Explanation | undefined
}

const FormContext = createContext<FormState>({ isBusy: false, problem: undefined })

interface FormProps {
  /** Of this form in the whole console: what was typed is kept under it. */
  name: string
  /** The button: a verb. */
  action: string
  look?: 'primary' | 'plain' | 'danger'
  submit: (values: Values) => Promise<unknown>
  /** What is said when it is done. */
  done?: string
  /** Empties the form when it is done. */
  isCleared?: boolean
  /** Beside the button. */
  beside?: ReactNode
  children: ReactNode
}

/**
 * A form whose fields are the browser's own. What was typed survives a reload until it is saved,
 * but passwords. What the API finds wrong stands beside its field, and the first gets the focus.
 */
export function Form({
  name,
  action,
  look = 'primary',
  submit,
  done,
  isCleared = false,
  beside,
  children,
}: FormProps) {
  const session = use(SessionContext)
  const owner = session ? `${session.user.id}:${session.organization.id}` : 'nobody'
  const form = useRef<HTMLFormElement>(null)
  const [state, setState] = useState<FormState & { error?: unknown; isElsewhere?: boolean }>({
    isBusy: false,
    problem: undefined,
  })
  const toast = useToast()

  useEffect(() => restore(form.current, readDraft(owner, name)), [owner, name])

  const send = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (state.isBusy) return
    setState({ isBusy: true, problem: undefined })
    try {
      await submit(valuesOf(form.current))
      dropDraft(owner, name)
      setState({ isBusy: false, problem: undefined })
      if (isCleared) form.current?.reset()
      if (done !== undefined) toast(done)
    } catch (error) {
      const problem = explain(error)
      const isElsewhere = !isBesideFields(form.current, problem)
      setState({ isBusy: false, problem, error, isElsewhere })
    }
  }
  useEffect(() => {
    if (state.problem) focusFirst(form.current)
  }, [state.problem])

  return (
    <FormContext value={state}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => void send(event)}
        onInput={() => keepDraft(owner, name, draftOf(form.current))}
      >
        {children}
        {state.isElsewhere ? <Failure error={state.error} /> : null}
        <div className="row">
          <Button type="submit" look={look} isBusy={state.isBusy}>
            {action}
          </Button>
          {beside}
        </div>
      </form>
    </FormContext>
  )
}

/** Every problem is shown at a field of the form. */
function isBesideFields(form: HTMLFormElement | null, { fields }: Explanation): boolean {
  const paths = Object.keys(fields)
  return paths.length > 0 && paths.every((path) => form?.elements.namedItem(path) != null)
}

function valuesOf(form: HTMLFormElement | null): Values {
  const entries = form ? [...new FormData(form)] : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function draftOf(form: HTMLFormElement | null): Values {
  const values = valuesOf(form)
  for (const field of form?.querySelectorAll('input[type=password]') ?? []) {
    if (field instanceof HTMLInputElement) delete values[field.name]
  }
  return values
}

function restore(form: HTMLFormElement | null, draft: Values): void {
  for (const [name, value] of Object.entries(draft)) {
    const field = form?.elements.namedItem(name)
    if (
      field instanceof HTMLInputElement &&
      (field.type === 'checkbox' || field.type === 'radio')
    ) {
      field.checked = field.value === value
    } else if (
      field instanceof HTMLInputElement ||
      field instanceof HTMLTextAreaElement ||
      field instanceof HTMLSelectElement
    ) {
      field.value = value
    }
  }
}

function focusFirst(form: HTMLFormElement | null): void {
  const field = form?.querySelector('[aria-invalid=true]')
  if (field instanceof HTMLElement) field.focus()
}

interface FieldProps {
  label: string
  name: string
  /** What to know before one types. */
  hint?: ReactNode
  isOptional?: boolean
}

/** A label, what stands under it, and what is wrong, for the element that `children` draws. */
function Labelled({
  label,
  name,
  hint,
  isOptional = false,
  children,
}: FieldProps & { children: (props: Wiring) => ReactNode }) {
  const id = useId()
  const wrong = use(FormContext).problem?.fields[name]
  const described = [
    hint === undefined ? '' : `${id}-hint`,
    wrong === undefined ? '' : `${id}-wrong`,
  ]
  const describedBy = described.filter((each) => each !== '').join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isOptional ? <span className="soft"> (optional)</span> : null}
      </label>
      {children({
        id,
        name,
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(wrong === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wrong === undefined ? null : (
        <p className="wrong" id={`${id}-wrong`}>
          {label} {wrong}
        </p>
      )}
    </div>
  )
}

interface Wiring {
  id: string
  name: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

type InputProps = FieldProps & Omit<React.ComponentProps<'input'>, 'name'>

export function Field({ label, name, hint, isOptional, ...input }: InputProps) {
  return (
    <Labelled {...{ label, name, hint, ...(isOptional ? { isOptional } : {}) }}>
      {(wiring) => <input className="input" {...input} {...wiring} />}
    </Labelled>
  )
}

type TextAreaProps = FieldProps & Omit<React.ComponentProps<'textarea'>, 'name'>

export function TextArea({ label, name, hint, isOptional, ...area }: TextAreaProps) {
  return (
    <Labelled {...{ label, name, hint, ...(isOptional ? { isOptional } : {}) }}>
      {(wiring) => <textarea className="input" {...area} {...wiring} />}
    </Labelled>
  )
}

type SelectProps = FieldProps & Omit<React.ComponentProps<'select'>, 'name'>

export function Select({ label, name, hint, isOptional, children, ...select }: SelectProps) {
  return (
    <Labelled {...{ label, name, hint, ...(isOptional ? { isOptional } : {}) }}>
      {(wiring) => (
        <select className="input" {...select} {...wiring}>
          {children}
        </select>
      )}
    </Labelled>
  )
}

type CheckProps = { label: ReactNode } & React.ComponentProps<'input'>

export function Check({ label, ...input }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  )
}
