/** How we reach a customer's account: one IAM role, assumed with the connection's external id. */
export interface IamRole {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
}

/**
 * The role that we assume in a customer's account. Derived, never stored: its name carries the
 * first eight characters of the connection's external id, its partition follows from the region
 * (AWS General Reference, "ARN format").
 */
export const roleArn = (accountId: string, region: string, externalId: string): string =>
  `arn:${partition(region)}:iam::${accountId}:role/${roleName(externalId)}`

/** The configuration set of the setup files, whose mail makes events. */
export const configurationSetName = (externalId: string): string => roleName(externalId)

export const roleName = (externalId: string): string => `letterloom-${externalId.slice(0, 8)}`

/** The queue of the setup files, which takes delivery events. */
export const eventQueueName = (externalId: string): string => `${roleName(externalId)}-events`

/** `aws`, `aws-cn` or `aws-us-gov`: accounts and credentials of one are unknown in the others. */
export function partition(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/** IAM has one endpoint a partition, and a signature for another region is refused there. */
export function iamRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-north-1'
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1'
}
