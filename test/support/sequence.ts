import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with what takes long and mostly waits: files with processes of their own, then the tests
 * of outages. What comes last is short, so no process works alone at the end.
 */
export class FaultsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ project, moduleId }: TestSpecification): number => {
      if (project.config.isolate) return 0
      return moduleId.includes('/test/faults/') ? 1 : 2
    }
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
