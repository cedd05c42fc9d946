import type { QueryAction } from './query.ts'
import { notFound } from './errors.ts'

/**
 * IAM GetRolePolicy: the role's inline policy, whose version is in a statement id (`LetterloomV1`).
 * URL-encoded JSON, as in IAM.
 */
const getRolePolicy: QueryAction = (deps, { account }, parameters) => {
  const name = parameters.get('RoleName') ?? ''
  const policyName = parameters.get('PolicyName') ?? ''
  const role = deps.accounts.role(account, name)
  if (!role) throw notFound(`The role with name ${name} cannot be found.`)
  const document = {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: `LetterloomV${role.policyVersion}`,
        Effect: 'Allow',
        Action: [
          'ses:SendEmail',
          'ses:SendBulkEmail',
          'ses:GetAccount',
          'ses:ListEmailIdentities',
          'ses:GetEmailIdentity',
          'cloudwatch:GetMetricData',
          'iam:GetRolePolicy',
        ],
        Resource: '*',
      },
    ],
  }
  return {
    RoleName: name,
    PolicyName: policyName,
    PolicyDocument: encodeURIComponent(JSON.stringify(document)),
  }
}

export const IAM_ACTIONS: Record<string, QueryAction> = { GetRolePolicy: getRolePolicy }
