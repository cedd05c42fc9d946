import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDraft } from '../../src/domain/flows/flow-check.ts'
import { diagramOf } from '../../src/domain/flows/flow-diagram.ts'
import type { Step } from '../../src/domain/flows/flow.ts'
import {
  condition,
  delay,
  draft,
  engagement,
  exit,
  mail,
  update,
  waiting,
  ways,
  webhook,
} from '../support/flow-drafts.ts'

const split: Step = {
  id: 's',
  type: 'split',
  name: 'Test',
  config: {
    branches: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 2 },
    ],
  },
}

test('a diagram shows trigger, steps, branches and the end', () => {
  const steps = [
    mail('m'),
    condition('c'),
    waiting('w'),
    engagement('e', 'm'),
    webhook('h'),
    split,
    delay('d'),
    update({ set: { firstName: 'A' }, unset: ['properties.plan'] }),
    exit('x'),
  ]
  const transitions = ways(
    'm>c',
    'c>w:yes',
    'w>e:yes',
    'e>h:opened',
    'h>s:success',
    'h>d:failure',
    's>u:A',
    'd>m',
    'u>x',
  )
  const { definition, problems } = checkDraft(draft(steps, transitions))
  expect(problems).toEqual([])
  expect(diagramOf(definition!)).toBe(`flowchart TD
  start(["Trigger<br/>api"])
  s0["Mail m<br/>send_email, S"]
  s1{"If c<br/>condition, the first name is set"}
  s2{{"Event w<br/>wait_for_event, bought, at most 1 day"}}
  s3{{"Engaged e<br/>wait_for_email_engagement, opened or clicked of m, at most 1 day"}}
  s4["Call h<br/>webhook, POST example.com"]
  s5{"Test<br/>split, 2 ways"}
  s6{{"Wait d<br/>delay, 1 day"}}
  s7["Update<br/>update_contact, firstName, properties.plan"]
  s8(["End x<br/>exit, completed"])
  finish(("End"))
  start --> s0
  s0 --> s1
  s1 -->|"yes"| s2
  s1 -->|"no"| finish
  s2 -->|"yes"| s3
  s2 -->|"timeout"| finish
  s3 -->|"opened"| s4
  s3 -->|"clicked"| finish
  s3 -->|"timeout"| finish
  s4 -->|"success"| s5
  s4 -->|"failure"| s6
  s5 -->|"A 33.3 %"| s7
  s5 -->|"B 66.7 %"| finish
  s6 --> s0
  s7 --> s8
`)
})

describe('whatever names and values are', () => {
  const LINE =
    /^ {2}(?:(?:start|finish|s\d+)(?:\(\["[^"]*"\]\)|\(\("End"\)\)|\{"[^"]*"\}|\{\{"[^"]*"\}\}|\["[^"]*"\])|(?:start|s\d+) -->(?:\|"[^"]*"\|)? (?:finish|s\d+))$/

  const lines = (name: string): string[] => {
    const named: Step = {
      ...split,
      name,
      config: {
        branches: [
          { name, weight: 1 },
          { name: name === 'B' ? 'A' : 'B', weight: 1 },
        ],
      },
    }
    const asked: Step = {
      id: 'c',
      type: 'condition',
      name,
      config: {
        condition: {
          logic: 'OR',
          groups: [{ filters: [{ field: `properties.${name}`, operator: 'equals', value: name }] }],
        },
      },
    }
    const { definition } = checkDraft(
      draft([named, asked], [{ from: 's', to: 'c', branch: name }], {
        trigger: { type: 'event', name },
      }),
    )
    return diagramOf(definition!).split('\n').slice(1, -1)
  }

  test('the lines are those of the steps, and every text stays within its quotes', () => {
    const nasty = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
      fc.constantFrom(
        '"] --> evil["',
        'a"]\nclick s0 href "javascript:alert(1)"',
        '%%{init: {"securityLevel": "loose"}}%%',
        '<img src=x onerror=alert(1)>',
        '`**bold**`',
        '&quot;#quot;#34;',
        'style s0:#f00;',
        'end',
        '1. list',
        '- list',
        '$$x^2$$',
        '\u2028subgraph x',
        '_under_ score',
        '@{ shape: rect }',
      ),
    )
    fc.assert(
      fc.property(nasty, (name) => {
        const drawn = lines(name)
        expect(drawn.length).toBe(9)
        for (const line of drawn) {
          expect(line).toMatch(LINE)
          // Of what is left between entities and our own line breaks nothing means anything.
          const texts = [...line.matchAll(/"([^"]*)"/g)].flatMap(([, text = '']) =>
            text.split('<br/>'),
          )
          for (const text of texts) {
            const bare = text.replaceAll(/#\d+;/g, '')
            expect(bare).toMatch(/^[\p{L}\p{M}\p{N} .,/@%…_-]*$/u)
            expect(text).not.toBe('')
            expect(text).not.toMatch(/^(?:\d+\.|-)/)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('an address shows its host and nothing that may be a secret', () => {
    const { definition } = checkDraft(
      draft([webhook('h', { url: 'https://example.com/token/s3cret?key=s3cret' })], []),
    )
    expect(diagramOf(definition!)).toContain('POST example.com"')
    expect(diagramOf(definition!)).not.toContain('s3cret')
  })
})
