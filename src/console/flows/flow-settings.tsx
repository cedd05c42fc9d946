import { checkCondition, IN_FLOWS } from '../../domain/audience/condition-check.ts'
import { ConditionBuilder } from '../audience/condition-builder.tsx'
import { conditionOf, EMPTY_ROWS, rowsOf } from '../audience/condition-rows.ts'
import { Button } from '../ui/button.tsx'
import { Check, Field } from '../ui/form.tsx'
import type { FlowDraft } from './flow-draft.ts'

interface FlowSettingsProps {
  draft: FlowDraft
  change: (part: Partial<FlowDraft>) => void
}

const HOUR_SECONDS = 3_600
const MOST_HOURS = 366 * 24
const MOST_AT_ONCE = 1_000_000

/** Who is let in, how often, and what ends it early. */
export function FlowSettings({ draft: { settings }, change }: FlowSettingsProps) {
  const put = (part: Partial<FlowDraft['settings']>): void =>
    change({ settings: { ...settings, ...part } })
  const { allowReentry, reentryDelaySeconds, maxConcurrentExecutions, exitOn } = settings
  const { condition, events } = exitOn
  const problems = condition
    ? Object.fromEntries(
        checkCondition(condition, 'condition', IN_FLOWS).map(({ path, message }) => [
          path,
          message,
        ]),
      )
    : {}
  return (
    <section className="stack" aria-label="Who is let in">
      <h2>Who is let in</h2>
      <Check
        label="A person can go through it several times"
        checked={allowReentry}
        onChange={(event) => put({ allowReentry: event.currentTarget.checked })}
      />
      {allowReentry ? (
        <Field
          label="Hours between two starts of one person"
          name="reentry"
          type="number"
          min={0}
          max={MOST_HOURS}
          value={reentryDelaySeconds / HOUR_SECONDS}
          onChange={({ currentTarget: { valueAsNumber } }) =>
            put({
              reentryDelaySeconds: Number.isNaN(valueAsNumber)
                ? 0
                : Math.round(valueAsNumber * HOUR_SECONDS),
            })
          }
        />
      ) : null}
      <Field
        label="People at a time"
        name="concurrent"
        type="number"
        min={1}
        max={MOST_AT_ONCE}
        hint="Empty: as many as come. Above it they are dropped."
        value={maxConcurrentExecutions ?? ''}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          put({
            maxConcurrentExecutions: Number.isNaN(valueAsNumber) ? null : Math.trunc(valueAsNumber),
          })
        }
      />
      <Field
        label="Events that end it at once"
        name="exitEvents"
        hint="Names with commas between them, such as order_placed."
        isOptional
        autoComplete="off"
        defaultValue={events.join(', ')}
        onBlur={({ currentTarget: { value } }) =>
          put({
            exitOn: {
              ...exitOn,
              events: value
                .split(',')
                .map((name) => name.trim())
                .filter((name) => name !== ''),
            },
          })
        }
      />
      {condition === undefined ? (
        <div>
          <Button
            look="quiet"
            onClick={() => put({ exitOn: { ...exitOn, condition: conditionOf(EMPTY_ROWS) } })}
          >
            End it when somebody is like this …
          </Button>
        </div>
      ) : (
        <div className="stack close">
          <div className="row between">
            <h3>It ends when somebody is like this</h3>
            <Button look="quiet" onClick={() => put({ exitOn: { events } })}>
              Do not end it so
            </Button>
          </div>
          <ConditionBuilder
            rows={rowsOf(condition)}
            change={(rows) => put({ exitOn: { ...exitOn, condition: conditionOf(rows) } })}
            askable={IN_FLOWS}
            problems={problems}
          />
        </div>
      )}
    </section>
  )
}
