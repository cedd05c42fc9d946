import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait long, the longest first, so that none of them is left for the end of a run. */
const LONGEST = [
  'faults/silence',
  'faults/worker',
  'faults/flows',
  'faults/untagged-events',
  'faults/slow-uploads',
  'faults/mail-queue',
  'faults/people',
  'faults/import',
  'main/dev',
  'dev/postgres',
  'setup/templates',
  'batches/send-batch',
  'mails/dispatch-mail',
  'audience/slow-segments',
  'access/matrix',
  'accounts/sweep-health',
  'batches/send-batch-hostile',
  'privacy/erase-contact',
  'accounts/domains-unavailable',
  'flows/fire-schedule',
  'http/hostile-inputs',
]

/** Orders files: those with their own processes, those that take longest, then the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return -1
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank === -1 ? LONGEST.length : rank
}
