import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../ui/button.tsx'
import type { TemplateDraft } from './use-template-draft.ts'

type Variable = TemplateDraft['variables'][number]

interface VariablesProps {
  variables: readonly Variable[]
  change: (variables: Variable[]) => void
  isReadOnly: boolean
}

/** Values that whoever sends the mail gives it, with what stands there if nothing is given. */
export function Variables({ variables, change, isReadOnly }: VariablesProps) {
  const id = useId()
  const changeOne = (at: number, part: Partial<Variable>): void =>
    change(variables.map((each, index) => (index === at ? { ...each, ...part } : each)))
  if (isReadOnly && variables.length === 0) return null
  return (
    <fieldset className="stack close">
      <legend className="legend">Variables</legend>
      <p className="hint">
        Values that a program or workflow gives with each mail, such as an order’s number. Where
        none is given, the fallback stands; without one the mail is not sent.
      </p>
      {variables.map(({ name, fallback }, at) => (
        // Their order is their identity: a name is empty while it is typed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="variable-row">
          <div className="field">
            <label htmlFor={`${id}-name-${at}`}>Name</label>
            <input
              id={`${id}-name-${at}`}
              className="input"
              value={name}
              maxLength={100}
              readOnly={isReadOnly}
              onChange={(event) => changeOne(at, { name: event.currentTarget.value })}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-fallback-${at}`}>Fallback</label>
            <input
              id={`${id}-fallback-${at}`}
              className="input"
              value={fallback ?? ''}
              maxLength={1_000}
              readOnly={isReadOnly}
              onChange={({ currentTarget: { value } }) =>
                changeOne(at, { fallback: value === '' ? null : value })
              }
            />
          </div>
          {isReadOnly ? null : (
            <Button
              look="quiet"
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => change(variables.filter((_, index) => index !== at))}
            >
              <span className="read-aloud">Remove {name === '' ? 'the variable' : name}</span>
            </Button>
          )}
        </div>
      ))}
      {isReadOnly ? null : (
        <div>
          <Button
            look="quiet"
            icon={<Plus aria-hidden="true" />}
            onClick={() => change([...variables, { name: '' }])}
          >
            Add a variable
          </Button>
        </div>
      )}
    </fieldset>
  )
}
