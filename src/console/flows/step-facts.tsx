import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import { Button } from '../ui/button.tsx'
import type { FlowDraft } from './flow-draft.ts'
import { gistOf, type Names, STEP_WORDS, triggerSentence } from './flow-words.ts'
import { usePanelHeading } from './use-panel-heading.ts'

interface StepFactsProps {
  draft: FlowDraft
  names: Names
  selected: string
  close: () => void
}

/** One step as it is written, without a way to change it here. */
export function StepFacts({ draft, names, selected, close }: StepFactsProps) {
  const heading = usePanelHeading()
  const step = draft.steps.find(({ id }) => id === selected)
  const title = selected === TRIGGER ? 'Trigger' : (step?.name ?? selected)
  return (
    <section className="step-side" aria-label={title}>
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {step ? (
        <>
          <p className="soft">
            {STEP_WORDS[step.type].name}: {gistOf(step, names)}
          </p>
          <details>
            <summary>All of it</summary>
            <pre className="step-data">{JSON.stringify(step.config, null, 2)}</pre>
          </details>
        </>
      ) : (
        <p className="soft">{triggerSentence(draft, names)}</p>
      )}
      <div>
        <Button look="quiet" onClick={close}>
          Close
        </Button>
      </div>
    </section>
  )
}
