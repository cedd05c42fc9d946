import type { Schemas } from '../../client/index.ts'
import {
  HOOK_EVENT_TYPES,
  HOOK_SOURCES,
  type HookEventType,
} from '../../domain/hooks/hook-event.ts'
import { Check, Field, type Values } from '../ui/form.tsx'
import { EVENT_GROUPS, SOURCE_WORDS } from './event-words.ts'

/** The call that the fields of an endpoint stand for. */
export function webhookOf(values: Values): Schemas['WebhookEndpointInput'] {
  const { url = '', description = '' } = values
  const sources = HOOK_SOURCES.filter((source) => values[source] !== undefined)
  return {
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    eventTypes: HOOK_EVENT_TYPES.filter((type) => values[type] !== undefined),
    // From each of them is from any, also from what a newer version adds.
    sources: sources.length === 0 || sources.length === HOOK_SOURCES.length ? null : sources,
  }
}

/** Where an endpoint is, and which events it receives. */
export function WebhookFields({ webhook }: { webhook?: Schemas['WebhookEndpoint'] }) {
  const receives = (type: HookEventType): boolean => webhook?.eventTypes.includes(type) ?? false
  return (
    <>
      <Field
        label="Address"
        name="url"
        type="url"
        placeholder="https://"
        hint="Your receiver, on the public internet. It answers 2xx within 15 seconds."
        defaultValue={webhook?.url}
        maxLength={2_048}
        autoComplete="off"
        required
      />
      <Field
        label="What it is"
        name="description"
        hint="For you, such as “Shop”."
        defaultValue={webhook?.description ?? ''}
        maxLength={200}
        autoComplete="off"
        isOptional
      />
      {EVENT_GROUPS.map(({ title, events }) => (
        <fieldset key={title} className="stack close">
          <legend className="legend">{title}</legend>
          {HOOK_EVENT_TYPES.filter((type) => type in events).map((type) => (
            <Check
              key={type}
              label={
                <>
                  {events[type]} <code className="soft">{type}</code>
                </>
              }
              name={type}
              value="yes"
              defaultChecked={receives(type)}
            />
          ))}
        </fieldset>
      ))}
      <fieldset className="stack close">
        <legend className="legend">Of mails: only those of</legend>
        {HOOK_SOURCES.map((source) => (
          <Check
            key={source}
            label={SOURCE_WORDS[source]}
            name={source}
            value="yes"
            defaultChecked={webhook?.sources?.includes(source) ?? true}
          />
        ))}
      </fieldset>
    </>
  )
}
