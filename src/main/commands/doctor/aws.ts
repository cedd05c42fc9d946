import { createSendEndpoints } from '../../../../activities/aws/endpoint.ts'
import { type Finding, ok, problem } from './finding.ts'

const ANSWER_MS = 5_000
/** AWS refuses what was signed five minutes before or after its own time. */
const MOST_CLOCK_MS = 60_000

/** Asks SES for nothing: any answer says that it is reached, and what time it is there. */
export async function examineAws(region: string): Promise<Finding> {
  const endpoint = await createSendEndpoints()(region)
  const startedAt = performance.now()
  const { headers } = await fetch(endpoint.origin, { signal: AbortSignal.timeout(ANSWER_MS) })
  const date = Date.parse(headers.get('date') ?? '')
  const aheadMs = Date.now() - (performance.now() - startedAt) / 2 - date
  if (Number.isNaN(aheadMs) || Math.abs(aheadMs) < MOST_CLOCK_MS) {
    return ok('aws', 'SES answers, and its clock agrees with ours.')
  }
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return problem(
    'aws',
    `The clock of this machine is ${seconds} s ${side} that of AWS, which refuses what we sign.`,
    'Set it right, by NTP.',
  )
}
