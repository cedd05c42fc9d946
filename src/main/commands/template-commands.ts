import { type Command, Option } from 'commander'
import { type ApiAccess, baseUrlOption, keyFileOption } from './api-access.ts'
import type { Format } from './template-preview.ts'
import { jsonOption, type Output, print } from './output.ts'

/**
 * Adds `templates`: an organization's templates as a folder, by the API and with one of its keys.
 */
export function addTemplateCommands(program: Command): void {
  const templates = program
    .command('templates')
    .description(
      'templates as a folder, by the API; its key is LETTERLOOM_API_KEY or in --key-file. Each is two files: <slug>.html or <slug>.mjml, and <slug>.json with its name, subject and the rest',
    )
  templates
    .command('pull <folder>')
    .description('write all templates into a folder, over what is there of them')
    .option('--slug <slug>', 'only this one')
    .addOption(baseUrlOption())
    .addOption(keyFileOption())
    .addOption(jsonOption())
    .action(async (folder: string, { slug, json, ...access }: PullOptions) => {
      const { pullTemplates } = await files()
      print(await pullTemplates(access, folder, slug), json)
    })
  templates
    .command('push <folder>')
    .description(
      'make templates what a folder says, each by its slug, and publish those that it changes: all or none',
    )
    .option('--dry-run', 'say what would be done, show what differs, and change nothing', false)
    .option('--force', 'also over what was edited there since it was pulled', false)
    .addOption(baseUrlOption())
    .addOption(keyFileOption())
    .addOption(jsonOption())
    .action(async (folder: string, { json, dryRun, force, ...access }: PushOptions) => {
      const { pushTemplates } = await files()
      const { answer, differences } = await pushTemplates(access, folder, { dryRun, force })
      if (!json) process.stdout.write(differences)
      print(json ? answer : answer.results, json)
    })
  templates
    .command('preview <template>')
    .description(
      'show the mail of a file (<slug>.html or .mjml, made here) or of a template of the account (slug or id), and what to look at before it is sent',
    )
    .option('--contact <id>', 'the mail that this contact of the account would get')
    .option('--values <file>', 'JSON with made-up values: contact, variables, trigger, event')
    .option('--out <file>', 'write it there instead of standard output')
    .addOption(
      new Option('--format <format>', 'page: as a phone and a desktop show it')
        .choices(['html', 'text', 'page', 'json'])
        .default('html'),
    )
    .addOption(baseUrlOption())
    .addOption(keyFileOption())
    .addHelpText(
      'after',
      '\nWhat was found goes to standard error. It exits with 1 when there is no mail.\n\nExample: letterloom templates preview mails/news.html --format page --out news-preview.html',
    )
    .action(
      async (template: string, { contact, values, format, out, ...access }: PreviewOptions) => {
        const { previewOf, writePreview } = await import('./template-preview.ts')
        const wish = {
          ...(contact === undefined ? {} : { contact }),
          ...(values === undefined ? {} : { values }),
        }
        const preview = await previewOf(access, template, wish)
        await writePreview(preview, { format, ...(out === undefined ? {} : { out }) })
        if (preview.problem) process.exitCode = 1
      },
    )
}

type PullOptions = { slug?: string } & ApiAccess & Output
type PushOptions = { dryRun: boolean; force: boolean } & ApiAccess & Output

type PreviewOptions = {
  contact?: string
  values?: string
  out?: string
  format: Format
} & ApiAccess

const files = () => import('./template-files.ts')
