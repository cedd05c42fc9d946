/**
 * The IAM role by which we reach a customer's account, assumed with the connection's external id.
 */
export interface IamRole {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
}

/**
 * Returns the ARN of the role in a customer's account. It is derived and never stored: its name
 * carries the first eight characters of the connection's external id, its partition follows from
 * the region (AWS General Reference, "ARN format").
 */
export const roleArn = (accountId: string, region: string, externalId: string): string =>
  `arn:${partition(region)}:iam::${accountId}:role/${roleName(externalId)}`

export const configurationSetName = (externalId: string): string => roleName(externalId)

export const roleName = (externalId: string): string => `letterloom-${externalId.slice(0, 8)}`

export const eventQueueName = (externalId: string): string => `${roleName(externalId)}-events`

/**
 * Returns `aws`, `aws-cn` or `aws-us-gov`. Accounts and credentials of one partition are unknown in
 * the others.
 */
export function partition(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/**
 * Returns the region of IAM, which has one endpoint a partition and refuses signatures for other
 * regions.
 */
export function iamRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-north-1'
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1'
}
