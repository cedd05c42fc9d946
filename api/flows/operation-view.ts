import type { FlowOperation } from '../../src/store/flows/flow-operations.ts'

/** An operation on the wire. */
export const operationView = ({ flowId: workflowId, ...operation }: FlowOperation) => ({
  ...operation,
  workflowId,
})
