export const OPERATION_KINDS = ['cancel', 'retry'] as const
export type OperationKind = (typeof OPERATION_KINDS)[number]

export const OPERATION_STATUSES = ['running', 'completed'] as const
export type OperationStatus = (typeof OPERATION_STATUSES)[number]
