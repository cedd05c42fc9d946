import type { EventWay } from '../../src/domain/accounts/event-ways.ts'
import { conflict } from '../../src/domain/errors.ts'
import { partition, roleName } from '../../src/domain/accounts/iam-role.ts'
import { cloudformation } from '../../src/setup/cloudformation.ts'
import { terraform } from '../../src/setup/terraform.ts'
import type { SetupFormat } from '../../src/schemas/accounts/connection.ts'
import type { SetupAccount } from '../../src/store/accounts/connections.ts'
import type { TenantDeps } from '../deps.ts'

export const webhookEndpoint = (publicUrl: string, accountId: string): string =>
  `${publicUrl}/webhooks/ses/${accountId}`

/**
 * Returns the setup file of a connection. Throws a 409 if the operator has not set
 * AWS_PRINCIPAL_ARN, or if it is of another partition than the account.
 */
export function setupFile(
  { format, events = 'queue' }: { format: SetupFormat; events?: EventWay },
  { accountId, region, externalId, maxSendRate, smsEnabled }: SetupAccount,
  { principalArn, publicUrl }: Pick<TenantDeps, 'principalArn' | 'publicUrl'>,
): { type: string; name: string; text: string } {
  if (principalArn === undefined) {
    throw conflict('AWS_PRINCIPAL_ARN is not set. Ask the operator of this service to set it', {
      reason: 'principal_not_configured',
    })
  }
  if (principalArn.split(':')[1] !== partition(region)) {
    const message = `AWS_PRINCIPAL_ARN is not in ${partition(region)}, where ${region} is`
    throw conflict(message, { reason: 'principal_of_another_partition' })
  }
  const setup = {
    accountId,
    region,
    externalId,
    principalArn,
    webhookEndpoint: webhookEndpoint(publicUrl, accountId),
    maxSendRate,
    events,
    smsEnabled,
  }
  const name = roleName(externalId)
  switch (format) {
    case 'cloudformation':
      return {
        type: 'application/json; charset=utf-8',
        name: `${name}.template.json`,
        text: cloudformation(setup),
      }
    case 'terraform':
      return { type: 'text/plain; charset=utf-8', name: `${name}.tf`, text: terraform(setup) }
  }
}
