import { Plus, Trash2 } from 'lucide-react'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/form.tsx'

const FEWEST = 2
const MOST = 20

interface SplitFieldsProps {
  step: StepOf<'split'>
  change: (step: Step) => void
}

/** People are spread over the branches by their weights; the same person always takes the same. */
export function SplitFields({ step, change }: SplitFieldsProps) {
  const { branches } = step.config
  const put = (next: typeof branches): void => change({ ...step, config: { branches: next } })
  const whole = branches.reduce((sum, { weight }) => sum + weight, 0)
  return (
    <fieldset className="stack close">
      <legend className="legend">Branches</legend>
      {branches.map(({ name, weight }, at) => (
        // Their order is their identity: a name changes while it is typed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="row-fields">
          <Field
            label="Name"
            name={`branch-${at}`}
            value={name}
            maxLength={100}
            onChange={({ currentTarget: { value } }) =>
              put(branches.map((each, index) => (index === at ? { ...each, name: value } : each)))
            }
          />
          <Field
            label={`Weight (${whole === 0 ? 0 : Math.round((weight / whole) * 100)} %)`}
            name={`weight-${at}`}
            type="number"
            min={0.001}
            step="any"
            value={weight}
            onChange={({ currentTarget: { valueAsNumber } }) =>
              put(
                branches.map((each, index) =>
                  index === at
                    ? { ...each, weight: valueAsNumber > 0 ? valueAsNumber : each.weight }
                    : each,
                ),
              )
            }
          />
          {branches.length > FEWEST ? (
            <Button
              look="quiet"
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => put(branches.filter((_, index) => index !== at))}
            >
              <span className="read-aloud">Remove branch {name}</span>
            </Button>
          ) : null}
        </div>
      ))}
      {branches.length < MOST ? (
        <div>
          <Button
            look="quiet"
            icon={<Plus aria-hidden="true" />}
            onClick={() =>
              put([...branches, { name: nameOf(branches.map(({ name }) => name)), weight: 50 }])
            }
          >
            Add a branch
          </Button>
        </div>
      ) : null}
    </fieldset>
  )
}

/** The first letter that no branch is called by. */
const nameOf = (taken: readonly string[]): string =>
  'ABCDEFGHIJKLMNOPQRST'.split('').find((letter) => !taken.includes(letter)) ?? 'Another'
