import { isRecord } from '../template.ts'
import { refusal } from './errors.ts'

/**
 * Actions that a session policy allows. Resources and conditions are ignored. A Deny of an action
 * is refused, so that nobody believes it works here.
 */
export function allowedActions(policy: string): string[] {
  const statements = statementsOf(policy)
  return statements.flatMap((statement) => {
    if (!isRecord(statement) || statement['Effect'] !== 'Allow') throw malformed()
    const action = statement['Action']
    const actions: unknown[] = Array.isArray(action) ? action : [action]
    return actions.map((each) => {
      if (typeof each !== 'string') throw malformed()
      return each
    })
  })
}

function statementsOf(policy: string): unknown[] {
  try {
    const document: unknown = JSON.parse(policy)
    if (!isRecord(document)) throw malformed()
    const statement = document['Statement']
    return Array.isArray(statement) ? statement : [statement]
  } catch {
    throw malformed()
  }
}

const malformed = () =>
  refusal(400, 'MalformedPolicyDocument', 'The policy is not in the valid JSON format.')
