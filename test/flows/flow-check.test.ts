import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDraft } from '../../src/domain/flows/flow-check.ts'
import { nextStep, type Step } from '../../src/domain/flows/flow.ts'
import {
  condition,
  delay,
  draft,
  engagement,
  exit,
  mail,
  told,
  waiting,
  ways,
  webhook,
} from '../support/flow-drafts.ts'

describe('a definition', () => {
  test('begins where the trigger leads, else with its first step', () => {
    const steps = [mail('a'), mail('b')]
    expect(checkDraft(draft(steps, ways('a>b'))).definition).toMatchObject({
      entry: 'a',
      transitions: [{ from: 'a', to: 'b' }],
    })
    expect(checkDraft(draft(steps, ways('b>a', 'trigger>b'))).definition).toMatchObject({
      entry: 'b',
      transitions: [{ from: 'b', to: 'a' }],
    })
  })

  test('with every kind of branch is taken, and a branch may lead nowhere', () => {
    const steps = [
      mail('m'),
      condition('c'),
      waiting('w'),
      engagement('e', 'm'),
      webhook('h'),
      exit('x'),
    ]
    const transitions = ways(
      'm>c',
      'c>w:yes',
      'w>e:yes',
      'w>x:timeout',
      'e>h:clicked',
      'h>x:failure',
    )
    expect(told(draft(steps, transitions))).toEqual([])
  })

  test.each<[string, Step[], string[], string]>([
    [
      'an unreachable step',
      [mail('a'), mail('b')],
      [],
      'steps[1] | Step "Mail b" (b): cannot be reached from the trigger',
    ],
    [
      'an id that is there twice',
      [mail('a'), delay('a')],
      [],
      'steps[1].id | Step "Wait a" (a): another step has this id',
    ],
    [
      'the id of the trigger',
      [mail('trigger')],
      [],
      'steps[0].id | Step "Mail trigger" (trigger): this id stands for the trigger',
    ],
    [
      'a way to nowhere',
      [mail('a')],
      ['a>z'],
      'transitions[0].to | transitions[0].to is not the id of a step: z',
    ],
    [
      'a way to the trigger',
      [mail('a')],
      ['a>trigger'],
      'transitions[0].to | transitions[0].to is not the id of a step: trigger',
    ],
    [
      'a way from nowhere',
      [mail('a')],
      ['z>a'],
      'transitions[0].from | transitions[0].from is not the id of a step: z',
    ],
    [
      'two beginnings',
      [mail('a'), mail('b')],
      ['trigger>a', 'trigger>b', 'a>b'],
      'transitions[1] | The trigger: there is already another transition from here',
    ],
    [
      'a trigger with branches',
      [mail('a')],
      ['trigger>a:yes'],
      'transitions[0].branch | transitions[0].branch cannot be used with the trigger, which has a single transition',
    ],
    [
      'a way on that is there twice',
      [condition('c'), mail('a'), mail('b')],
      ['c>a:yes', 'c>b:yes', 'c>b:no'],
      'transitions[1] | Step "If c" (c): there is already another transition from here',
    ],
    [
      'a branch without a name',
      [condition('c'), mail('a')],
      ['c>a'],
      'transitions[0].branch | Step "If c" (c): transitions[0].branch must be one of: yes, no',
    ],
    [
      'a branch that there is not',
      [engagement('e', 'm'), mail('m')],
      ['trigger>m', 'm>e', 'e>m:bounced'],
      'transitions[2].branch | Step "Engaged e" (e): transitions[2].branch must be one of: opened, clicked, timeout',
    ],
    [
      'a branch where there is none',
      [mail('a'), mail('b')],
      ['a>b:yes'],
      'transitions[0].branch | Step "Mail a" (a): transitions[0].branch cannot be set, since the step has a single transition',
    ],
    [
      'a way on after the exit',
      [exit('x'), mail('b')],
      ['x>b'],
      'transitions[0].branch | Step "End x" (x): no step can follow an exit',
    ],
    [
      'a webhook with two names for success',
      [webhook('h'), mail('a')],
      ['h>a', 'h>a:success'],
      'transitions[1] | Step "Call h" (h): there is already another transition from here',
    ],
    [
      'a hasty loop',
      [mail('a'), condition('c')],
      ['a>c', 'c>a:yes'],
      'steps[0] | Step "Mail a" (a): leads back through Step "If c" (c) without a delay or a wait of at least 60 seconds',
    ],
    [
      'a step that leads to itself',
      [mail('a')],
      ['a>a'],
      'steps[0] | Step "Mail a" (a): leads back to itself without a delay or a wait of at least 60 seconds',
    ],
    [
      'a loop through an engagement',
      [mail('m'), engagement('e', 'm')],
      ['m>e', 'e>e:opened'],
      'steps[1] | Step "Engaged e" (e): leads back to itself without a delay or a wait of at least 60 seconds',
    ],
    [
      'a wait for a mail that comes later',
      [engagement('e', 'm'), mail('m')],
      ['e>m:timeout'],
      'steps[0].config.stepId | Step "Engaged e" (e): config.stepId: Step "Mail m" (m) does not come before it',
    ],
    [
      'a wait for what is no mail',
      [delay('d'), engagement('e', 'd')],
      ['d>e'],
      'steps[1].config.stepId | Step "Engaged e" (e): config.stepId must be the id of a send_email step',
    ],
  ])('with %s is refused', (_name, steps, transitions, message) => {
    const found = told(draft(steps, ways(...transitions)))
    expect(found).toEqual([message])
    expect(checkDraft(draft(steps, ways(...transitions))).definition).toBeUndefined()
  })

  test('may go round through a delay, a wait for an event, or the timeout of an engagement', () => {
    expect(told(draft([mail('a'), delay('d')], ways('a>d', 'd>a')))).toEqual([])
    expect(told(draft([mail('a'), waiting('w')], ways('a>w', 'w>a:yes')))).toEqual([])
    expect(told(draft([mail('a'), engagement('e', 'a')], ways('a>e', 'e>a:timeout')))).toEqual([])
  })

  test('is not longer than the limit', () => {
    const long = {
      ...mail('a'),
      config: { from: 'a@example.com', subject: 'S', html: 'x'.repeat(600_000) },
    } as Step
    expect(told(draft([long, { ...long, id: 'b' }], ways('a>b'))).join()).toContain('1048576')
  })

  test('a webhook’s one way on is that of its success', () => {
    const { definition } = checkDraft(draft([webhook('h'), mail('a')], ways('h>a')))
    expect(nextStep(definition!, 'h', 'success')).toBe('a')
    expect(nextStep(definition!, 'h', 'failure')).toBeUndefined()
  })

  test('in loops of any shape: a hasty one is found exactly where steps can come back in no time', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const edge = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names))
    fc.assert(
      fc.property(
        fc.uniqueArray(edge, { selector: ([from]) => from }),
        fc.subarray(names),
        (edges, slow) => {
          const steps = names.map((id) => (slow.includes(id) ? delay(id) : mail(id)))
          const transitions = edges.map(([from, to]) => ({ from, to }))
          const found = told(draft(steps, transitions)).filter((each) =>
            each.includes('leads back'),
          )
          // By hand: one way on from each, followed for as many steps as there are.
          const isHasty = names.some((start) => {
            let at: string | undefined = start
            for (let n = 0; n <= names.length; n++) {
              at =
                at === undefined || slow.includes(at)
                  ? undefined
                  : nextStep({ transitions }, at, null)
            }
            return at !== undefined
          })
          expect(found.length > 0).toBe(isHasty)
        },
      ),
      { numRuns: 500 },
    )
  })
})
