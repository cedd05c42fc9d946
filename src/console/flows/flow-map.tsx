import { Background, Controls, Handle, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Zap } from 'lucide-react'
import { createContext, use } from 'react'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type { FlowDraft } from './flow-draft.ts'
import { type Counts, StepFigures } from './flow-list.tsx'
import { branchWords, gistOf, type Names, STEP_WORDS, triggerSentence } from './flow-words.ts'
import { layoutOf } from './map-layout.ts'
import './flow-map.css'

interface FlowMapProps {
  draft: FlowDraft
  names: Names
  selected: string | undefined
  select: (id: string) => void
  counts: Counts
}

const MapContext = createContext<FlowMapProps | undefined>(undefined)

/** The list as a drawing: its steps are buttons, and nothing in it can be dragged. */
export function FlowMap(props: FlowMapProps) {
  const { draft } = props
  const { nodes, edges } = layoutOf(draft)
  const byId = new Map(draft.steps.map((step) => [step.id, step]))
  return (
    <MapContext value={props}>
      <div className="flow-map">
        <ReactFlow
          nodes={nodes.map(({ id, x, y }) => ({
            id,
            type: 'step',
            position: { x, y },
            data: {},
          }))}
          edges={edges.map(({ id, from, to, branch }) => {
            const step = byId.get(from)
            return {
              id,
              source: from,
              target: to,
              type: 'smoothstep',
              focusable: false,
              ...(branch === undefined || step === undefined
                ? {}
                : { label: branchWords(step, branch) }),
            }
          })}
          nodeTypes={NODE_TYPES}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
          minZoom={0.2}
          maxZoom={1.5}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={24} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </MapContext>
  )
}

function MapStep({ id }: NodeProps) {
  const map = use(MapContext)
  if (!map) return null
  const { draft, names, selected, select, counts } = map
  const step = draft.steps.find((each) => each.id === id)
  const Icon = step ? STEP_WORDS[step.type].icon : Zap
  const count = counts.get(id)
  return (
    <>
      {id === TRIGGER ? null : <Handle type="target" position={Position.Top} />}
      <button
        type="button"
        className="map-step nopan"
        aria-current={selected === id ? 'step' : undefined}
        onClick={() => select(id)}
      >
        <Icon aria-hidden="true" size={16} />
        <span className="map-words">
          <strong>{step?.name ?? 'Trigger'}</strong>
          <span className="soft">{step ? gistOf(step, names) : triggerSentence(draft, names)}</span>
        </span>
        {count === undefined ? null : <StepFigures count={count} />}
      </button>
      <Handle type="source" position={Position.Bottom} />
    </>
  )
}

const NODE_TYPES = { step: MapStep }
