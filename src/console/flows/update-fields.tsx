import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { FLOW_FIELDS } from '../../domain/contacts/contact-fields.ts'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/form.tsx'
import { type Change, changesOf, updateOf, WAYS } from './contact-changes.ts'

interface UpdateFieldsProps {
  step: StepOf<'update_contact'>
  change: (step: Step) => void
}

/** What the step writes of the contact, a row for each field. */
export function UpdateFields({ step, change }: UpdateFieldsProps) {
  const id = useId()
  const changes = changesOf(step.config)
  const put = (next: Change[]): void => change({ ...step, config: updateOf(next) })
  const putOne = (at: number, part: Partial<Change>): void =>
    put(changes.map((each, index) => (index === at ? { ...each, ...part } : each)))
  const isNamed = changes.every(({ field }) => field !== '')
  return (
    <fieldset className="stack close">
      <legend className="legend">Changes</legend>
      <p className="hint">
        Fields such as firstName, or properties.plan. Values are Liquid: {'{{ trigger.data.plan }}'}
        .
      </p>
      {changes.map(({ way, field, value }, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="row-fields">
          <Select
            label="What"
            name={`way-${at}`}
            value={way}
            onChange={({ currentTarget }) => {
              const chosen = WAYS.find((each) => each.way === currentTarget.value)
              if (chosen) putOne(at, { way: chosen.way })
            }}
          >
            {WAYS.map((each) => (
              <option key={each.way} value={each.way}>
                {each.label}
              </option>
            ))}
          </Select>
          <Field
            label="Field"
            name={`field-${at}`}
            list={id}
            value={field}
            maxLength={300}
            autoComplete="off"
            onChange={(event) => putOne(at, { field: event.currentTarget.value })}
          />
          {way === 'unset' ? null : (
            <Field
              label="Value"
              name={`value-${at}`}
              value={value}
              autoComplete="off"
              onChange={(event) => putOne(at, { value: event.currentTarget.value })}
            />
          )}
          <Button
            look="quiet"
            icon={<Trash2 aria-hidden="true" />}
            onClick={() => put(changes.filter((_, index) => index !== at))}
          >
            <span className="read-aloud">Remove the change of {field}</span>
          </Button>
        </div>
      ))}
      <datalist id={id}>
        {[...FLOW_FIELDS, 'properties.'].map((field) => (
          <option key={field} value={field}>
            {field}
          </option>
        ))}
      </datalist>
      {isNamed ? (
        <div>
          <Button
            look="quiet"
            icon={<Plus aria-hidden="true" />}
            onClick={() => put([...changes, { way: 'set', field: '', value: '' }])}
          >
            Add a change
          </Button>
        </div>
      ) : null}
    </fieldset>
  )
}
