/** An account as input names it: `awsAccountId` is another name of `cloudAccountId`. */
export interface AccountNames {
  cloudAccountId?: string | null | undefined
  awsAccountId?: string | null | undefined
}

/** What is wrong with two names of one account. */
export const DIFFERS = 'differs from cloudAccountId'

/** The name that is given, and in which field; null: no account. */
export function givenAccount({ cloudAccountId, awsAccountId }: AccountNames): {
  field: keyof AccountNames
  id: string | null | undefined
  differs: boolean
} {
  if (cloudAccountId === undefined) {
    const field = awsAccountId === undefined ? 'cloudAccountId' : 'awsAccountId'
    return { field, id: awsAccountId, differs: false }
  }
  const differs =
    awsAccountId !== undefined && awsAccountId?.toLowerCase() !== cloudAccountId?.toLowerCase()
  return { field: 'cloudAccountId', id: cloudAccountId, differs }
}

/** Whether it is what the provider calls an account. */
export const isAccountNumber = (text: string): boolean => /^[0-9]{12}$/.test(text)
