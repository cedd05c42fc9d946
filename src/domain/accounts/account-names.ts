export interface AccountNames {
  cloudAccountId?: string | null | undefined
  awsAccountId?: string | null | undefined
}

export const DIFFERS = 'differs from cloudAccountId'

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

/** Returns whether a text has the form of the provider's account numbers. */
export const isAccountNumber = (text: string): boolean => /^[0-9]{12}$/.test(text)
