import { isRecord } from '../template.ts'
import { refusal } from './errors.ts'

/**
 * The actions that a session policy allows. Resources and conditions are not looked at; a Deny of
 * an action is not supported and refuses the policy, so that nobody believes it works here.
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
