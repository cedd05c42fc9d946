import type { FlowOperation } from '../../src/store/flows/flow-operations.ts'

export const operationView = ({ flowId: workflowId, ...operation }: FlowOperation) => ({
  ...operation,
  workflowId,
})
