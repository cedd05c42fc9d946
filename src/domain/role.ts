/**
 * The role that we assume in a customer's account. Derived, never stored: its name carries the
 * first eight characters of the connection's external id, its partition follows from the region
 * (AWS General Reference, "ARN format").
 */
export const roleArn = (accountId: string, region: string, externalId: string): string =>
  `arn:${partition(region)}:iam::${accountId}:role/letterloom-${externalId.slice(0, 8)}`

function partition(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}
