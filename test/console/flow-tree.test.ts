import { describe, expect, test } from 'vitest'
import { changesOf, updateOf } from '../../src/console/flows/contact-changes.ts'
import { differencesOf } from '../../src/console/flows/flow-differences.ts'
import {
  EMPTY_FLOW,
  type FlowDraft,
  newStep,
  problemsOf,
} from '../../src/console/flows/flow-draft.ts'
import {
  linesOf,
  lostWithout,
  withChanged,
  withoutBranch,
  withStep,
  withWay,
} from '../../src/console/flows/flow-tree.ts'
import { layoutOf } from '../../src/console/flows/map-layout.ts'
import type { StepType } from '../../src/domain/flows/flow.ts'

/** A draft with steps added one by one, each at a place. */
function build(...added: [type: StepType, from: string, branch?: string][]): FlowDraft {
  return added.reduce<FlowDraft>(
    (draft, [type, from, branch]) =>
      withStep(
        draft,
        { from, ...(branch === undefined ? {} : { branch }) },
        newStep(type, draft.steps),
      ),
    { ...EMPTY_FLOW, name: 'Welcome', triggerConfig: { eventName: 'signed_up' } },
  )
}

/** Each line in a word, with its depth. */
const shown = (draft: FlowDraft): string[] =>
  linesOf(draft).flatMap((line) => {
    switch (line.kind) {
      case 'place':
        return []
      case 'step':
        return [`${line.depth} ${line.step.id}`]
      case 'branch':
        return [`${line.depth} ${line.branch}:`]
      case 'jump':
        return [`${line.depth} to ${line.to.id}`]
      case 'end':
        return [`${line.depth} end`]
      case 'lost':
        return ['lost']
    }
  })

const branched = () =>
  build(
    ['delay', 'trigger'],
    ['condition', 'delay_1'],
    ['update_contact', 'condition_1', 'yes'],
    ['exit', 'condition_1', 'no'],
  )

describe('a workflow as a list', () => {
  test('indents branches under their names, from the trigger down', () => {
    expect(shown(branched())).toEqual([
      '0 delay_1',
      '0 condition_1',
      '1 yes:',
      '1 update_contact_1',
      '1 end',
      '1 no:',
      '1 exit_1',
    ])
  })

  test('a step between two others is followed by the second', () => {
    const draft = build(['delay', 'trigger'], ['exit', 'delay_1'], ['webhook', 'delay_1'])
    expect(shown(draft)).toEqual(['0 delay_1', '0 webhook_1', '1 failure:', '1 end', '0 exit_1'])
  })

  test('ways can lead to a step that is listed elsewhere, and nothing is listed twice', () => {
    const draft = withWay(branched(), { from: 'update_contact_1' }, 'delay_1')
    expect(shown(draft)).toContain('1 to delay_1')
    expect(linesOf(draft).filter(({ kind }) => kind === 'step')).toHaveLength(4)
  })

  test('a step that is taken out leaves its followers, on its first way', () => {
    const draft = branched()
    const [delay, condition] = draft.steps
    expect(shown(withoutBranch(draft, delay!))[0]).toBe('0 condition_1')
    // What only the other branch led to goes, too, and one is told before.
    expect(lostWithout(draft, condition!).map(({ id }) => id)).toEqual(['exit_1'])
    expect(shown(withoutBranch(draft, condition!))).toEqual([
      '0 delay_1',
      '0 update_contact_1',
      '0 end',
    ])
  })

  test('a loop through a step that is taken out does not lead to it any more', () => {
    const draft = withWay(branched(), { from: 'update_contact_1' }, 'update_contact_1')
    const step = draft.steps.find(({ id }) => id === 'update_contact_1')
    const left = withoutBranch(draft, step!)
    expect(left.transitions.every(({ to }) => to !== 'update_contact_1')).toBe(true)
  })

  test('steps that nothing leads to are listed at the end, and are a problem', () => {
    const draft = withWay(branched(), { from: 'delay_1' }, undefined)
    expect(shown(draft).slice(0, 4)).toEqual(['0 delay_1', '0 end', 'lost', '0 condition_1'])
  })

  test('a renamed branch keeps its way, and one that is gone loses it', () => {
    const draft = build(['split', 'trigger'], ['exit', 'split_1', 'B'])
    const split = draft.steps[0]!
    if (split.type !== 'split') throw new Error('the first step is a split')
    const renamed = withChanged(draft, {
      ...split,
      config: {
        branches: [
          { name: 'A', weight: 1 },
          { name: 'Second', weight: 1 },
        ],
      },
    })
    expect(renamed.transitions).toContainEqual({ from: 'split_1', branch: 'Second', to: 'exit_1' })
    const three = [...split.config.branches, { name: 'C', weight: 1 }]
    const grown = withChanged(draft, { ...split, config: { branches: three } })
    expect(grown.transitions).toContainEqual({ from: 'split_1', branch: 'B', to: 'exit_1' })
  })

  test('on the map each step stands below the one that leads to it', () => {
    const { nodes, edges } = layoutOf(withWay(branched(), { from: 'update_contact_1' }, 'delay_1'))
    const y = new Map(nodes.map((node) => [node.id, node.y]))
    expect(nodes).toHaveLength(5)
    expect(y.get('trigger')).toBeLessThan(y.get('delay_1')!)
    expect(y.get('condition_1')).toBeLessThan(y.get('exit_1')!)
    expect(y.get('exit_1')).toBe(y.get('update_contact_1'))
    expect(edges).toHaveLength(5)
  })
})

describe('what is still to do', () => {
  test('is said before the API is asked', () => {
    expect(problemsOf(EMPTY_FLOW).map(({ message }) => message)).toEqual([
      'Give it a name',
      'Say which event starts it',
      'Add a first step',
    ])
    const unfinished = problemsOf(build(['send_email', 'trigger']))
    expect(unfinished).toEqual([
      {
        path: 'steps[0].config',
        message: 'Step “Send a mail”: write a subject and the mail, or choose a template',
      },
      { path: 'steps[0].config', message: 'Step “Send a mail”: choose a sender' },
    ])
    expect(problemsOf(build(['delay', 'trigger'], ['exit', 'delay_1']))).toEqual([])
  })

  test('what the domain refuses is refused here, too', () => {
    const loop = withWay(build(['split', 'trigger']), { from: 'split_1', branch: 'A' }, 'split_1')
    expect(problemsOf(loop)[0]?.message).toContain('leads back to itself')
  })
})

test('changes of a contact come back as they were', () => {
  const update = {
    set: { firstName: 'Ada', 'properties.plan': '{{ trigger.data.plan }}', 'properties.on': true },
    unset: ['company'],
    increment: { 'properties.orders': 1 },
    append: { 'properties.tags': ['a'] },
    remove: { 'properties.codes': '5' },
  }
  expect(updateOf(changesOf(update))).toEqual(update)
})

test('two versions differ in words', () => {
  const before = branched()
  const delay = before.steps[0]!
  const after = withChanged(withoutBranch(before, before.steps[3]!), { ...delay, name: 'Pause' })
  expect(differencesOf(before, after)).toEqual(['Changed: Pause, before Wait', 'Removed: End here'])
  expect(differencesOf(before, before)).toEqual(['Only names or places on the map'])
  const settings = { ...before.settings, allowReentry: true }
  expect(differencesOf(before, { ...before, settings })).toEqual(['The settings were changed'])
})
