import { join } from 'node:path'
import { toolFolder } from '../../src/dev/tool-folder.ts'
import type { Subject } from './subject.ts'

/** How often a parameter gets a value that names something instead of a generated one. */
const KNOWN_SHARE = 0.6

/** What a well-formed request may be answered beside success: rules, plans, rights, state. */
const REFUSALS = [400, 402, 403, 404, 409]
/** What a request that breaks the published schema must be answered. */
const REJECTIONS = [400, 401, 403, 404, 405, 413, 414, 415, 422]

/**
 * The settings of Schemathesis, in TOML: a JSON string, number or array is one in TOML as well.
 *
 * `positive_data_acceptance` holds our reading of 422: only what the published schema refuses. A
 * rule that needs stored data, other fields or the clock answers 400.
 */
export function settings({ known, webhookSecret }: Subject, bearer: string): string {
  const lines = [
    `hooks = ${JSON.stringify(join(toolFolder('fuzz'), 'hooks.py'))}`,
    'continue-on-failure = true',
    'request-timeout = 15.0',
    '[auth.openapi]',
    `bearer = { bearer = ${JSON.stringify(bearer)} }`,
    '[generation]',
    'database = "none"',
    'allow-x00 = false',
    '[checks]',
    `positive_data_acceptance = ${statuses(['2xx', ...REFUSALS])}`,
    `negative_data_rejection = ${statuses(REJECTIONS)}`,
  ]
  for (const [operation, parameters] of Object.entries(known)) {
    for (const [name, values] of Object.entries(parameters)) {
      lines.push(
        `[dictionaries.${JSON.stringify(`${operation} ${name}`)}]`,
        `values = ${JSON.stringify(values)}`,
      )
    }
  }
  const mayBeUnproved = `positive_data_acceptance = ${statuses(['2xx', ...REFUSALS, 401])}`
  const own: Record<string, string[]> = {
    // A password that somebody made up.
    logIn: [`checks = { ${mayBeUnproved} }`],
    changePassword: [`checks = { ${mayBeUnproved} }`],
    // The secret is one account's: with another account number it proves nothing.
    receiveSesEvent: [
      `headers = { x-webhook-secret = ${JSON.stringify(webhookSecret)} }`,
      `checks = { ${mayBeUnproved} }`,
    ],
    // GET reads the contact whose externalId is "batch": its Allow is true.
    upsertContacts: ['checks = { allow_header_conformance = { enabled = false } }'],
  }
  for (const operation of new Set([...Object.keys(own), ...Object.keys(known)])) {
    const parameters = known[operation] ?? {}
    lines.push('[[operations]]', `include-operation-id = ${JSON.stringify(operation)}`)
    lines.push(...(own[operation] ?? []), '[operations.parameters]')
    for (const name of Object.keys(parameters)) {
      const dictionary = JSON.stringify(`${operation} ${name}`)
      lines.push(
        `${JSON.stringify(name)} = { dictionary = ${dictionary}, probability = ${KNOWN_SHARE} }`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

const statuses = (expected: readonly (number | string)[]): string =>
  `{ expected-statuses = ${JSON.stringify(expected)} }`
