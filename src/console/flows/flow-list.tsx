import { CornerDownRight, Plus, TriangleAlert, Zap } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { Schemas } from '../../client/index.ts'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type { Step, StepType } from '../../domain/flows/flow.ts'
import { counted, number } from '../lib/format.ts'
import type { FlowDraft } from './flow-draft.ts'
import { type Line, linesOf, type Place } from './flow-tree.ts'
import { branchWords, gistOf, type Names, STEP_WORDS, triggerSentence } from './flow-words.ts'
import './flow-list.css'

const AddMenu = lazy(async () => ({ default: (await import('./add-menu.tsx')).AddMenu }))

export type StepCount = Schemas['WorkflowStepCount']
export type Counts = ReadonlyMap<string, StepCount>

export interface Editing {
  add: (place: Place, type: StepType) => void
  /** Goes on at the end or at another step. */
  lead: (place: Place, to: string | undefined) => void
}

interface FlowListProps {
  draft: FlowDraft
  names: Names
  /** The id of the step that is shown beside the list; `trigger` for the trigger. */
  selected: string | undefined
  select: (id: string) => void
  /** How many people are at each step. */
  counts?: Counts
  /** Steps that are not right yet. */
  wrong?: ReadonlySet<string>
  editing?: Editing
}

/** A workflow from its trigger down, for eyes, ears and keyboards alike. */
export function FlowList(props: FlowListProps) {
  const { draft, names, selected, select, wrong } = props
  return (
    <ol className="flow-list" aria-label="Steps">
      <li>
        <button
          type="button"
          className="flow-step trigger"
          data-step={TRIGGER}
          aria-current={selected === TRIGGER ? 'step' : undefined}
          onClick={() => select(TRIGGER)}
        >
          <Zap aria-hidden="true" size={18} />
          <span>
            <strong>Trigger</strong>
            <span className="soft">{triggerSentence(draft, names)}</span>
          </span>
          {wrong?.has(TRIGGER) === true ? <WrongMark /> : null}
        </button>
      </li>
      {linesOf(draft).map((line) => (
        <li key={keyOf(line)} className={`flow-line ${line.kind}`} style={indent(line)}>
          <LineBody line={line} {...props} />
        </li>
      ))}
    </ol>
  )
}

const WrongMark = () => (
  <span className="status careful">
    <TriangleAlert aria-hidden="true" size={16} />
    <span className="read-aloud">Not right yet</span>
  </span>
)

/** On a phone deep branches stay readable: they stop being indented. */
const DEEPEST_INDENT = 6
const INDENT_PX = 20

const indent = (line: Line) =>
  line.kind === 'lost' || line.depth === 0
    ? {}
    : { marginInlineStart: `${Math.min(DEEPEST_INDENT, line.depth) * INDENT_PX}px` }

function keyOf(line: Line): string {
  switch (line.kind) {
    case 'step':
      return `step ${line.step.id}`
    case 'branch':
      return `branch ${line.step.id} ${line.branch}`
    case 'lost':
      return 'lost'
    default:
      return `${line.kind} ${line.place.from} ${line.place.branch ?? ''}`
  }
}

function LineBody({ line, ...props }: { line: Line } & FlowListProps) {
  switch (line.kind) {
    case 'step':
      return <StepLine step={line.step} {...props} />
    case 'branch':
      return <p className="flow-branch">{branchWords(line.step, line.branch)}</p>
    case 'place':
      return props.editing ? (
        <AddLine place={line.place} draft={props.draft} editing={props.editing} />
      ) : null
    case 'jump':
      return (
        <p className="flow-jump">
          <CornerDownRight aria-hidden="true" size={16} /> goes on at{' '}
          <button type="button" className="link" onClick={() => props.select(line.to.id)}>
            {line.to.name}
          </button>
        </p>
      )
    case 'end':
      return (
        <p className="flow-end soft">
          {line.place.branch === 'failure' ? 'The execution fails' : 'The execution is completed'}
        </p>
      )
    case 'lost':
      return <p className="flow-branch">Nothing leads to these steps</p>
  }
}

function StepLine({
  step,
  selected,
  select,
  counts,
  names,
  wrong,
}: { step: Step } & FlowListProps) {
  const { icon: Icon } = STEP_WORDS[step.type]
  const count = counts?.get(step.id)
  return (
    <button
      type="button"
      className="flow-step"
      data-step={step.id}
      aria-current={selected === step.id ? 'step' : undefined}
      onClick={() => select(step.id)}
    >
      <Icon aria-hidden="true" size={18} />
      <span>
        <strong>{step.name}</strong>
        <span className="soft">{gistOf(step, names)}</span>
      </span>
      {count === undefined ? null : <StepFigures count={count} />}
      {wrong?.has(step.id) === true ? <WrongMark /> : null}
    </button>
  )
}

export function StepFigures({ count: { live, failed } }: { count: StepCount }) {
  return (
    <span className="flow-figures figures">
      {live === 0 ? null : <span>{counted(live, 'person', 'people')} here</span>}
      {failed === 0 ? null : <span className="tone-bad">{number(failed)} failed</span>}
    </span>
  )
}

interface AddLineProps {
  place: Place
  draft: FlowDraft
  editing: Editing
}

function AddLine({ place, draft, editing }: AddLineProps) {
  const from = draft.steps.find(({ id }) => id === place.from)
  const where = `${from ? `“${from.name}”` : 'the trigger'}${place.branch === undefined ? '' : `, ${place.branch}`}`
  return (
    <Suspense
      fallback={
        <span className="flow-add">
          <Plus aria-hidden="true" size={14} />
        </span>
      }
    >
      <AddMenu where={where} place={place} draft={draft} editing={editing} />
    </Suspense>
  )
}
