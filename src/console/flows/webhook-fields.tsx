import { Plus, Trash2 } from 'lucide-react'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { HIDDEN, MOST_HEADERS } from '../../domain/flows/steps/webhook.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select, TextArea } from '../ui/form.tsx'

type Config = StepOf<'webhook'>['config']

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const satisfies Config['method'][]

interface WebhookFieldsProps {
  step: StepOf<'webhook'>
  change: (step: Step) => void
}

/** A call to an address of the customer's; values of headers are never shown again. */
export function WebhookFields({ step, change }: WebhookFieldsProps) {
  const { config } = step
  const put = (next: Config): void => change({ ...step, config: next })
  const headers = Object.entries(config.headers ?? {})
  const putHeaders = (next: [string, string][]): void => {
    const { headers: _, ...others } = config
    put(next.length === 0 ? others : { ...others, headers: Object.fromEntries(next) })
  }
  return (
    <>
      <Field
        label="Address"
        name="url"
        type="url"
        placeholder="https://"
        value={config.url}
        maxLength={2_048}
        onChange={(event) => put({ ...config, url: event.currentTarget.value })}
      />
      <Select
        label="Method"
        name="method"
        value={config.method}
        onChange={({ currentTarget: { value } }) => {
          const method = METHODS.find((each) => each === value)
          if (!method) return
          const { body: _, ...others } = config
          put(method === 'GET' ? { ...others, method } : { ...config, method })
        }}
      >
        {METHODS.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </Select>
      {config.method === 'GET' ? null : (
        <TextArea
          label="Body"
          name="body"
          hint="Liquid. Empty: the contact, the execution and what started it, as JSON."
          className="input code"
          spellCheck={false}
          rows={4}
          isOptional
          value={config.body ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const { body: _, ...others } = config
            put(value === '' ? others : { ...config, body: value })
          }}
        />
      )}
      <fieldset className="stack close">
        <legend className="legend">Headers</legend>
        <p className="hint">A value is shown once, while you type it; {HIDDEN} keeps it.</p>
        {headers.map(([name, value], at) => (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className="row-fields">
            <Field
              label="Name"
              name={`header-${at}`}
              value={name}
              maxLength={100}
              autoComplete="off"
              onChange={({ currentTarget }) =>
                putHeaders(
                  headers.map((each, index) =>
                    index === at ? [currentTarget.value, value] : each,
                  ),
                )
              }
            />
            <Field
              label="Value"
              name={`value-${at}`}
              value={value}
              maxLength={4_096}
              autoComplete="off"
              onChange={({ currentTarget }) =>
                putHeaders(
                  headers.map((each, index) => (index === at ? [name, currentTarget.value] : each)),
                )
              }
            />
            <Button
              look="quiet"
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => putHeaders(headers.filter((_, index) => index !== at))}
            >
              <span className="read-aloud">Remove header {name}</span>
            </Button>
          </div>
        ))}
        {headers.length < MOST_HEADERS && !headers.some(([name]) => name === '') ? (
          <div>
            <Button
              look="quiet"
              icon={<Plus aria-hidden="true" />}
              onClick={() => putHeaders([...headers, ['', '']])}
            >
              Add a header
            </Button>
          </div>
        ) : null}
      </fieldset>
      <p className="soft">
        Calls are signed with the workflow’s secret. A call that fails is tried again for about a
        day; then the execution fails here, unless “If it fails for good” leads on.
      </p>
    </>
  )
}
