import { checkCondition, OF_EVENTS } from '../../../src/domain/audience/condition-check.ts'
import { sentence } from '../../../src/domain/errors.ts'
import type { StepType } from '../../../src/domain/flows/flow.ts'
import { liquidTextsOf, withTexts } from '../../../src/domain/flows/liquid-values.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import { RenderError } from '../../../src/mail/render.ts'
import type { Renderer } from '../../../src/mail/renderer.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import * as contacts from '../../../src/store/contacts/contacts.ts'
import { untilRendered } from '../../content/rendering.ts'
import { eventKnownTo } from './facts.ts'
import type { StepRun, StoredStep } from './step.ts'

/** A step that waits for the renderer holds the rows of its execution and of its contact. */
const LONGEST_RENDERING_WAIT_MS = 2_000

/**
 * Enters a step with Liquid values rendered for the current contact, whose row is locked if the
 * step writes it. A step whose values cannot be rendered fails.
 */
export async function enterWithValues(
  tx: Transaction,
  renderer: Renderer,
  handler: StoredStep<StepType>,
  run: StepRun<StepType>,
): Promise<StepOutcome> {
  const sources = liquidTextsOf(run.step).map(({ text }) => text)
  if (sources.length === 0) return handler.enter(tx, run)
  try {
    const scope = await scopeOf(tx, run)
    const { organizationId, flowId, version } = run.execution
    const values = await untilRendered(() =>
      renderer.values(sources, scope, {
        organization: organizationId,
        content: `values ${flowId} ${version} ${run.step.id}`,
        by: performance.now() + LONGEST_RENDERING_WAIT_MS,
      }),
    )
    const step = withTexts(run.step, () => values.shift())
    const refusal = refuseRendered(step)
    if (refusal !== undefined) return { kind: 'failed', reason: 'bad_value', error: refusal }
    return await handler.enter(tx, { ...run, step })
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { kind: 'failed', reason: error.reason, error: error.message }
  }
}

async function scopeOf(tx: Transaction, { execution }: StepRun<StepType>): Promise<object> {
  const { organizationId, contactId, data } = execution
  const contact = await contacts.find(tx, organizationId, { id: contactId })
  return { contact, trigger: { data }, event: await eventKnownTo(tx, execution) }
}

function refuseRendered({ config }: { config: object }): string | undefined {
  if (!('filter' in config)) return undefined
  const problems = checkCondition(config.filter, 'filter', OF_EVENTS)
  return problems.length === 0 ? undefined : sentence(problems)
}
