import { useId } from 'react'
import type { Step, StepOf } from '../../domain/flows/flow.ts'
import { senderAddress, useVerifiedSenders } from '../sending/senders.ts'
import { Field, Select, TextArea } from '../ui/form.tsx'
import { IdChoice } from './trigger-panel.tsx'
import { useChoices } from './use-names.ts'

type Config = StepOf<'send_email'>['config']

interface MailFieldsProps {
  step: StepOf<'send_email'>
  change: (step: Step) => void
}

/** A mail of its own, or a template. Other channels than email will be chosen here, too. */
export function MailFields({ step, change }: MailFieldsProps) {
  const { topics, templates } = useChoices()
  const id = useId()
  const senders = useVerifiedSenders() ?? []
  const { config } = step
  const isTemplate = config.templateId !== undefined
  const put = (part: Partial<Config>): void => change({ ...step, config: { ...config, ...part } })
  const published = templates.filter(
    ({ id: templateId, version }) => version > 0 || templateId === config.templateId,
  )
  return (
    <>
      <Select
        label="Content"
        name="content"
        value={isTemplate ? 'template' : 'write'}
        onChange={({ currentTarget: { value } }) => {
          const { templateId: _, html: _html, ...others } = config
          change({
            ...step,
            config:
              value === 'template'
                ? { ...others, templateId: '' }
                : { ...others, html: '<p>Hello {{ contact.firstName | default: "there" }}</p>' },
          })
        }}
      >
        <option value="write">Written here</option>
        <option value="template">A published template</option>
      </Select>
      {isTemplate ? (
        <IdChoice
          label="Template"
          value={config.templateId ?? ''}
          choices={published}
          choose={(templateId) => put({ templateId })}
          none="Choose …"
        />
      ) : null}
      <Field
        label="Subject"
        name="subject"
        hint={isTemplate ? 'Empty: that of the template.' : undefined}
        isOptional={isTemplate}
        value={config.subject ?? ''}
        maxLength={998}
        onChange={(event) => put({ subject: event.currentTarget.value })}
      />
      {isTemplate ? null : (
        <TextArea
          label="Mail"
          name="html"
          hint="HTML with Liquid. A link to unsubscribe is added if there is none."
          className="input code"
          spellCheck={false}
          rows={8}
          value={config.html ?? ''}
          onChange={(event) => put({ html: event.currentTarget.value })}
        />
      )}
      <Field
        label="From"
        name="from"
        type="email"
        list={id}
        hint={
          senders.length === 0
            ? 'No account has a verified sender yet: see Accounts.'
            : `Of a verified sender: ${senders.map(({ identity }) => identity).join(', ')}`
        }
        value={config.from ?? ''}
        onChange={(event) => put({ from: event.currentTarget.value })}
      />
      <datalist id={id}>
        {senders.map(({ identity }) => (
          <option key={identity} value={senderAddress(identity)}>
            {senderAddress(identity)}
          </option>
        ))}
      </datalist>
      <Field
        label="Name of the sender"
        name="fromName"
        isOptional
        value={config.fromName ?? ''}
        onChange={(event) => put({ fromName: event.currentTarget.value })}
      />
      <IdChoice
        label="Topic"
        value={config.topicId ?? ''}
        choices={topics}
        choose={(topicId) => put({ topicId })}
        none="No topic: whoever may be mailed gets it"
      />
    </>
  )
}
