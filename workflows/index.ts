export { dispatchMail } from './dispatch-mail.ts'
export { sendBatch } from './send-batch.ts'
export { verifyConnection } from './verify-connection.ts'
