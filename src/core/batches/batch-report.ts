import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { toPoints } from '../../domain/batches/report-times.ts'
import type { BatchReport } from '../../schemas/batches/batch-report.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as batchReports from '../../store/batches/batch-reports.ts'
import { missing } from '../access/ownership.ts'

/** Returns the report of a batch. All its figures are of one moment. */
export async function batchReport(
  sql: Executor,
  organizationId: Uuid,
  id: string,
): Promise<BatchReport> {
  const row = isUuid(id) ? await batchReports.find(sql, organizationId, id) : undefined
  if (!row) throw await missing(sql, 'batch', organizationId, id)
  const { name, status, subject, from, fromName, startedAt, completedAt, audienceFrozenAt } = row
  const { generatedAt, links, otherLinks, domains, otherDomains, bounces, abTest } = row
  return {
    id: row.id,
    name,
    status,
    subject,
    from,
    fromName,
    startedAt,
    completedAt,
    audienceFrozenAt,
    generatedAt,
    funnel: {
      recipients: row.totalRecipients,
      sent: row.sent,
      delivered: row.delivered,
      opened: row.opened,
      openedByPeople: row.openedByPeople,
      clicked: row.clicked,
      unsubscribed: row.unsubscribed,
      bounced: row.bounced,
      suppressed: row.suppressed,
      complained: row.complained,
      failed: row.failed,
      skipped: row.skipped,
      unknown: row.unknown,
    },
    overTime: toPoints(row.hours),
    links,
    otherLinks,
    domains,
    otherDomains,
    bounces,
    abTest,
  }
}
