import type { Command } from 'commander'
import { type ApiAccess, baseUrlOption, keyFileOption } from './api-access.ts'
import { jsonOption, type Output, print } from './output.ts'

/** Adds `flows`: an organization's workflows as a file, by the API and with one of its keys. */
export function addFlowCommands(program: Command): void {
  const flows = program
    .command('flows')
    .description('workflows as a file, by the API; its key is LETTERLOOM_API_KEY or in --key-file')
  flows
    .command('pull')
    .description('write all workflows to standard output, in the form that push takes')
    .option('--slug <slug>', 'only this one')
    .addOption(baseUrlOption())
    .addOption(keyFileOption())
    .action(async ({ slug, ...access }: { slug?: string } & ApiAccess) => {
      const { pullFlows } = await files()
      print({ workflows: await pullFlows(access, slug) }, true)
    })
  flows
    .command('push <file>')
    .description('make workflows what a file says, each by its slug: all of them or none')
    .option('--dry-run', 'say what would be done, and change nothing', false)
    .option('--force', 'also over what was edited there since it was pulled', false)
    .addOption(baseUrlOption())
    .addOption(keyFileOption())
    .addOption(jsonOption())
    .action(async (path: string, { json, dryRun, force, ...access }: PushOptions) => {
      const { pushFlows } = await files()
      const answer = await pushFlows(access, path, { dryRun, force })
      print(json ? answer : answer.results, json)
    })
}

type PushOptions = { dryRun: boolean; force: boolean } & ApiAccess & Output

const files = () => import('./flow-files.ts')
