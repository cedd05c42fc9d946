import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import type { FlowDraft } from './flow-draft.ts'

interface MapNode {
  id: string
  x: number
  y: number
}

interface MapEdge {
  id: string
  from: string
  to: string
  branch: string | undefined
}

const WIDTH = 260
const HEIGHT = 120

/**
 * Places of the steps, row by row from the trigger: each below the first step that leads to it, so
 * that a loop leads back up.
 */
export function layoutOf({ steps, transitions }: Pick<FlowDraft, 'steps' | 'transitions'>): {
  nodes: MapNode[]
  edges: MapEdge[]
} {
  const known = new Set([TRIGGER, ...steps.map(({ id }) => id)])
  const edges = transitions
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .map(({ from, to, branch }) => ({ id: `${from} ${branch ?? ''} ${to}`, from, to, branch }))
  const rows = new Map<string, number>([[TRIGGER, 0]])
  const order = [TRIGGER]
  // The list grows while it is walked through: each step is in it once.
  for (const id of order) {
    for (const { from, to } of edges) {
      if (from !== id || rows.has(to)) continue
      rows.set(to, (rows.get(id) ?? 0) + 1)
      order.push(to)
    }
  }
  const last = Math.max(...rows.values())
  for (const { id } of steps) {
    if (rows.has(id)) continue
    rows.set(id, last + 1)
    order.push(id)
  }
  const widest = Math.max(...countsOf([...rows.values()]).values())
  const placed = new Map<number, number>()
  const counts = countsOf([...rows.values()])
  const nodes = order.map((id) => {
    const row = rows.get(id) ?? 0
    const column = placed.get(row) ?? 0
    placed.set(row, column + 1)
    const indent = (widest - (counts.get(row) ?? 1)) / 2
    return { id, x: (indent + column) * WIDTH, y: row * HEIGHT }
  })
  return { nodes, edges }
}

function countsOf(rows: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1)
  return counts
}
